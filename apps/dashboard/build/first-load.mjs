/** Fails the build when what a first visit loads grows beyond its budget. */
import { gzipSync } from 'node:zlib';

/**
 * A Vite plugin. Counted is the JavaScript of the entry and of the modules that every first visit asks for (`alwaysLoaded`: parts of
 * their paths), each with all that it imports.
 */
export function firstLoadBudget({ maxKb, alwaysLoaded }) {
  return {
    name: 'first-load-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const isFirst = ({ isEntry, facadeModuleId }) =>
        isEntry || alwaysLoaded.some((path) => facadeModuleId?.includes(path));
      const names = new Set();
      const take = (name) => {
        if (names.has(name) || bundle[name]?.type !== 'chunk') return;
        names.add(name);
        bundle[name].imports.forEach(take);
      };
      chunks.filter(isFirst).forEach(({ fileName }) => take(fileName));
      const bytes = [...names].reduce((sum, name) => sum + gzipSync(bundle[name].code).length, 0);
      const kb = Math.round(bytes / 100) / 10;
      this.emitFile({
        type: 'asset',
        fileName: 'first-load.json',
        source: JSON.stringify({ jsKbGzip: kb, files: [...names] }),
      });
      if (kb > maxKb) this.error(`The first load is ${kb} kB of JavaScript (gzip); its budget is ${maxKb}.`);
    },
  };
}
