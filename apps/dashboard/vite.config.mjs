/** The dashboard as static files: hashed names, nothing inline, for the gateway to serve. */
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { firstLoadBudget } from './build/first-load.mjs';
import { leanSchemas } from './build/lean-schemas.mjs';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    leanSchemas(),
    react(),
    tailwind(),
    firstLoadBudget({ maxKb: 150, alwaysLoaded: ['i18n/en.ts'] }),
  ],
  // Straight from the sources of the other packages, so that nothing has to be built before.
  resolve: {
    conditions: ['@bullpen/source', ...defaultClientConditions],
    // React has had the hook for long; the shim carries one of its own.
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // With `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    rolldownOptions: {
      // What a first visit needs anyhow is one file: it packs better, and costs one request.
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
  worker: { format: 'es' },
});
