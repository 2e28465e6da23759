/** `<home>/up.json`: where the running stack is found by every other command. Written whole, removed when the stack stops. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** `pid` is null while the process is being started again. */
const Child = z.object({ name: z.string(), pid: z.int().nullable() });

export const UpFile = z.object({
  url: z.string(),
  /** Of the supervisor. */
  pid: z.int(),
  startedAt: z.string(),
  home: z.string(),
  databaseUrl: z.string(),
  embedded: z.boolean(),
  queue: z.enum(['postgres', 'redis']),
  simulated: z.boolean(),
  model: z.string(),
  workers: z.array(Child),
  /** What holds the commands of agents on this machine. */
  sandbox: z.string().default('none'),
  /** Extensions that could not be used, and why; each with its place. */
  leftOut: z.array(z.string()).default([]),
  gateway: Child,
  simulator: Child.nullable(),
  logs: z.string(),
});
export type UpFile = z.infer<typeof UpFile>;

/** Writes the file so that a reader sees the old or the new one, never half of it. It holds the database's password: mode 0600. */
export function writeUpFile(home: string, content: UpFile): void {
  const path = upPath(home);
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** What the file says; null when there is none or when it is not ours. Does not look whether the stack still runs. */
export function readUpFile(home: string): UpFile | null {
  try {
    return UpFile.safeParse(JSON.parse(readFileSync(upPath(home), 'utf8'))).data ?? null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof SyntaxError || code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES')
      return null;
    throw error;
  }
}

/** Removes the file; does nothing when there is none. */
export function removeUpFile(home: string): void {
  rmSync(upPath(home), { force: true });
}

function upPath(home: string): string {
  return join(home, 'up.json');
}
