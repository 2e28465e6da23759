/** Work on files, cut off before each of its changes to the file system. For specs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

export interface Deaths {
  /** Statements of JavaScript: what works on `folder`, with this package as `product`, a `signal`, and `input`. */
  readonly work: string;
  readonly input: object;
  /** How the folder is at the beginning; null: it is not there. */
  readonly start: string | null;
  readonly folder: string;
  /** Gets a copy of the folder after each death (`N-dead`, when it is there), and after the try that follows it (`N`). */
  readonly results: string;
  /** Before each one of its changes, or each second, and so on. @defaultValue 1 */
  readonly every?: number;
}

/**
 * Does the work again and again, and ends it before its first change, before its second one, and so on, until it comes to its end: from then on nothing
 * that it does changes anything, as if its process was killed. In one process, because hundreds would take minutes. Gives how often it died.
 */
export async function dieAtEach(deaths: Deaths): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', harness(deaths.work)], {
    env: { ...process.env, NODE_OPTIONS: '', DEATHS: JSON.stringify(deaths) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(said);
  return readdirSync(deaths.results).filter((name) => !name.endsWith('-dead')).length;
}

const harness = (work: string): string => `
import fs from 'node:fs';
import path from 'node:path';
import { syncBuiltinESMExports } from 'node:module';
const { input, start, folder, results, every = 1 } = JSON.parse(process.env.DEATHS);
const real = { cp: fs.cpSync, rm: fs.rmSync };
const signal = new AbortController().signal;
let left = Infinity;
const mayChange = () => {
  if (left > 0) return void (left -= 1);
  throw Object.assign(new Error('dead'), { code: 'EDEAD' });
};
const mortal = (module, names) => {
  for (const name of names) {
    const alive = module[name];
    module[name] = (...args) => (mayChange(), alive(...args));
  }
};
mortal(fs, ['renameSync', 'unlinkSync', 'mkdirSync', 'rmdirSync', 'symlinkSync', 'rmSync', 'chmodSync', 'fchmodSync', 'lchownSync', 'writeSync']);
mortal(fs.promises, ['rename', 'rm', 'chown', 'mkdir', 'writeFile']);
syncBuiltinESMExports();
const product = await import('${import.meta.resolve('../../dist/index.js')}');
const work = async () => { ${work} };
const copy = (from, to) => real.cp(from, to, { recursive: true, verbatimSymlinks: true });
for (let at = 0; ; at += every) {
  left = Infinity;
  real.rm(folder, { recursive: true, force: true });
  if (start !== null) copy(start, folder);
  left = at;
  try {
    await work();
    break;
  } catch (error) {
    if (left > 0) throw error;
  }
  left = Infinity;
  if (fs.existsSync(folder)) copy(folder, path.join(results, at / every + '-dead'));
  await work();
  copy(folder, path.join(results, String(at / every)));
}
`;
