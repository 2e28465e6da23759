/** A text in the user's own editor. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../context.js';

/** Null when it came back unchanged or empty, or when the editor failed, which is said. VISUAL, EDITOR, or vi. */
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
      io.err(
        io.errColors.yellow(`The editor (${editor}) ended with ${code ?? 'a signal'}; nothing was changed.`),
      );
      return null;
    }
    const edited = await readFile(file, 'utf8');
    return edited.trim() === '' || edited === text ? null : edited;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
