// Builds the console to static files, which the server reads at its start and serves under /console/.
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
    // The licence texts of the bundled code, which must be distributed with it. The server does not
    // serve files of this type.
    license: { fileName: 'licenses.md' },
  },
  server: { proxy: { '/api': { target: 'http://127.0.0.1:8000', changeOrigin: false } } },
});
