import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** A page that contains only charts, built like the dashboard. */
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react({ compiler: true }), tailwindcss()],
  build: { target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0, emptyOutDir: true },
  logLevel: 'warn',
});
