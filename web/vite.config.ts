import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  build: {
    target: 'es2023',
    // An inlined asset would need a wider policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:8000' },
  },
  // Properties are tried on busy machines, too.
  test: { environment: 'node', isolate: false, testTimeout: 60_000, include: ['src/**/*.test.ts'] },
} as Parameters<typeof defineConfig>[0]);
