import { defineConfig } from 'vite';

// One origin for the page, the service and Portcullis, as a reverse proxy provides in production.
const { PORTCULLIS_URL = 'http://127.0.0.1:8000', SERVICE_URL = 'http://127.0.0.1:3000' } = process.env;
export default defineConfig({
  server: { proxy: { '/api': { target: PORTCULLIS_URL }, '/stock': { target: SERVICE_URL } } },
});
