/** The page as one script and one style, which `tools/page.py` puts into one file. */
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  publicDir: false,
  build: {
    target: 'es2023',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: false,
    emptyOutDir: true,
    reportCompressedSize: false,
    rollupOptions: {
      input: 'src/file/main.tsx',
      output: { format: 'iife', codeSplitting: false, entryFileNames: 'file.js', assetFileNames: 'file.[ext]' },
    },
  },
} as Parameters<typeof defineConfig>[0]);
