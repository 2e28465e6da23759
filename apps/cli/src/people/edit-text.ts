/** A text in the user's own editor. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../context.js';

/** What a shell ends with when there is no such program. */
const NOT_FOUND = 127;

/** Null when it came back unchanged or empty, or when the editor failed; each is said. VISUAL, EDITOR, or vi. */
export async function editText({ env, io }: Context, text: string, ending: string): Promise<string | null> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const folder = await mkdtemp(join(tmpdir(), 'bullpen-edit-'));
  const file = join(folder, `edit${ending}`);
  try {
    await writeFile(file, text, { mode: 0o600 });
    // By a shell, as EDITOR may hold arguments (`code --wait`); the file's name comes as a parameter, never as shell text.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) {
      const why =
        code === NOT_FOUND ? 'was not found: set VISUAL or EDITOR' : `ended with ${code ?? 'a signal'}`;
      io.err(io.errColors.yellow(`The editor (${editor}) ${why}; nothing was changed.`));
      return null;
    }
    const edited = await readFile(file, 'utf8');
    if (edited.trim() !== '' && edited !== text) return edited;
    io.err(io.errColors.yellow('Nothing was changed.'));
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
