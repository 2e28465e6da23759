/** Options of a stack that consists of fake programs in `folder`, which is also its home. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function fakeStackOptions(folder, settings, changes = {}) {
  const shared = new URL('./fake-program.mjs', import.meta.url).href;
  const script = (kind) => {
    const path = join(folder, `${kind}.mjs`);
    writeFileSync(
      path,
      `import { run } from ${JSON.stringify(shared)};\nrun(${JSON.stringify(kind)}, ${JSON.stringify(folder)});\n`,
    );
    return path;
  };
  return {
    settings,
    env: process.env,
    scripts: { simulator: script('simulator'), gateway: script('gateway'), worker: script('worker') },
    anyPort: false,
    startDatabase: () => Promise.resolve(fakeDatabase(folder)),
    migrate: () => Promise.resolve({ applied: ['1_first'] }),
    onEvent: () => undefined,
    ...changes,
  };
}

function fakeDatabase(folder) {
  let end;
  const exited = new Promise((resolve) => (end = resolve));
  return {
    url: 'postgres://nobody:secret@127.0.0.1:1/bullpen',
    exited,
    stop: () => {
      appendFileSync(join(folder, 'journal'), 'database stop\n');
      end();
      return exited;
    },
  };
}
