/** The pause between what a stack was busy with and what it takes when it has nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from './lab.js';

/**
 * By its end, looks have become as seldom as they get, and what starting has left is collected: within 20 s of quiet
 * (`collect-start.ts`), with a last turn of the engine some 20 s later. `--quick` measures a part of that.
 */
export async function rest(lab: Lab): Promise<void> {
  await sleep(lab.quick ? 20_000 : 60_000);
}
