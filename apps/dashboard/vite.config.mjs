/** The dashboard as static files: hashed names, nothing inline, for the gateway to serve. */
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { firstLoadBudget } from './build/first-load.mjs';
import { leanSchemas } from './build/lean-schemas.mjs';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [leanSchemas(), react(), tailwind(), firstLoadBudget({ maxKb: 150, alwaysLoaded: ['i18n/en'] })],
  // Straight from the sources of the other packages, so that nothing has to be built before.
  resolve: { conditions: ['@bullpen/source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    // With `light-dark()`.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    reportCompressedSize: false,
    rolldownOptions: { treeshake: { manualPureFunctions: ['z', 'event', 'readableText'] } },
  },
  worker: { format: 'es' },
});
