import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

// The page and the service share an origin, as they do in production: then the service's cookie keeps the page signed in.
const target = process.env.PORTCULLIS_URL ?? 'http://127.0.0.1:8000';
export default defineConfig({ plugins: [vue()], server: { proxy: { '/api': { target } } } });
