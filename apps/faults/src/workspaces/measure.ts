/** What checkpoints cost in a tree of many files: the first one, and those after one line of one file changed. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Checkpoints, FolderPackStore, type Taken } from '@bullpen/checkpoints';
import { Tree, type Chance } from './tree.js';

export interface Costs {
  readonly checkpointMs: { readonly first: number; readonly next: number };
  readonly storedBytes: number;
  readonly storedBytesPerChange: number;
}

const IN_ONE_FOLDER = 100;
const CHANGES = 5;

export async function measure(files: number, chance: Chance, signal: AbortSignal): Promise<Costs> {
  const home = mkdtempSync(path.join(tmpdir(), 'costs-'));
  try {
    const workspace = path.join(home, 'workspace');
    const tree = new Tree(workspace, chance);
    const nameOf = (at: number) => path.join(workspace, `d${Math.floor(at / IN_ONE_FOLDER)}`, `f${at}.ts`);
    for (let at = 0; at < files; at += 1) {
      if (at % IN_ONE_FOLDER === 0) mkdirSync(path.dirname(nameOf(at)), { recursive: true });
      writeFileSync(nameOf(at), tree.words());
    }
    const packs = new FolderPackStore(path.join(home, 'packs'));
    const shadow = { folder: path.join(home, 'shadow') };
    const checkpoints = new Checkpoints({
      shadow,
      workspace,
      line: 'line',
      packs,
      coverage: {},
      owner: null,
    });
    const take = async (parent: string | null): Promise<Taken> => {
      const result = await checkpoints.take({ parent }, signal);
      if (result.kind !== 'taken') throw new Error(`no checkpoint: ${JSON.stringify(result)}`);
      return result;
    };
    const first = await take(null);
    const next: Taken[] = [];
    for (let count = 0; count < CHANGES; count += 1) {
      appendFileSync(nameOf(chance(files)), 'one more line\n');
      next.push(await take(next.at(-1)?.commit ?? first.commit));
    }
    const times = next.map(({ ms }) => ms).sort((a, b) => a - b);
    return {
      checkpointMs: { first: first.ms, next: times[Math.floor(CHANGES / 2)] ?? 0 },
      storedBytes: first.pack.bytes,
      storedBytesPerChange: Math.round(next.reduce((sum, { pack }) => sum + pack.bytes, 0) / CHANGES),
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
