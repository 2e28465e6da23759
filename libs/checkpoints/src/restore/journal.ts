/** A restore on its way, written down before the first file is touched, so that whoever comes after a crash can finish it. */
import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import type { Plan } from './apply.js';

export interface Journalled {
  readonly plan: Plan;
  /** To where. */
  readonly target: string;
  /** The state before it. */
  readonly safety: string;
}

export async function writeJournal(shadow: ShadowRepository, journalled: Journalled): Promise<void> {
  const { plan, ...rest } = journalled;
  const text = JSON.stringify({ ...rest, plan: { ...plan, keptFolders: [...plan.keptFolders] } });
  const file = placeOf(shadow);
  const handle = await open(`${file}.new`, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

export async function readJournal(shadow: ShadowRepository): Promise<Journalled | null> {
  const text = await readFile(placeOf(shadow), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const { plan, ...rest } = JSON.parse(text) as Journalled & { plan: { keptFolders: readonly string[] } };
  return { ...rest, plan: { ...plan, keptFolders: new Set(plan.keptFolders) } };
}

export async function endJournal(shadow: ShadowRepository): Promise<void> {
  await rm(placeOf(shadow), { force: true });
}

function placeOf(shadow: ShadowRepository): string {
  return path.join(shadow.folder, 'restore.json');
}
