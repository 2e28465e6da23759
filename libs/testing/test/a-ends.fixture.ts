/** Runs first in its process, which has a guard from then on. */
import { it } from '@jest/globals';
import { startProcess } from '../src/processes.js';

it('ends, with what it started', async () => {
  await startProcess('-e', { args: ['setInterval(() => undefined, 1_000)'] }).kill();
});
