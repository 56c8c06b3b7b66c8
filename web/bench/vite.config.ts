import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  base: '/bare/',
  publicDir: false,
  logLevel: 'warn',
  build: { target: 'es2023', emptyOutDir: true, rollupOptions: { input: 'bench/index.html' } },
});
