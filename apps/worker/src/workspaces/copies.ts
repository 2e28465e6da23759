/**
 * Which copy of a workspace lies on this machine: a number beside it, out of reach of agents. A copy without it, or with another one than the
 * workspace's row has, is out of date.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export class Copies {
  /** @param folder holds the numbers, for our eyes only. */
  constructor(private readonly folder: string) {}

  /** Null: there is none that anybody knows of. */
  async epochOf(workspaceId: string): Promise<number | null> {
    try {
      const epoch = Number(await readFile(this.file(workspaceId), 'utf8'));
      return Number.isInteger(epoch) && epoch > 0 ? epoch : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  /** To be called when the copy is whole. */
  async set(workspaceId: string, epoch: number): Promise<void> {
    const file = this.file(workspaceId);
    await writeFile(`${file}.new`, `${epoch}\n`, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  /** To be called before the copy is touched. */
  async forget(workspaceId: string): Promise<void> {
    await rm(this.file(workspaceId), { force: true });
  }

  private file(workspaceId: string): string {
    return join(this.folder, `${workspaceId}.copy`);
  }
}
