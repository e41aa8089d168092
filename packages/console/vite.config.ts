// The console is built to plain files, which the server reads at its start and serves under /console/.
import tailwind from '@tailwindcss/vite';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [vue(), tailwind()],
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Of what is bundled: their texts must go where the code goes. It is no kind of file that is served.
    license: { fileName: 'licenses.md' },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8000', changeOrigin: false } } },
});
