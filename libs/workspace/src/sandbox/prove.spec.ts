/** The proof must tell a sandbox that holds from one that does not. */
import { afterEach, beforeEach, expect } from '@jest/globals';
import path from 'node:path';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import { bubblewrap } from './bubblewrap.js';
import { proveSandbox, type SandboxProof } from './prove.js';
import type { Sandbox } from './sandbox.js';
import { unboxed } from './unboxed.js';

let bench: BoxBench;
beforeEach(async () => {
  bench = await BoxBench.make();
});
afterEach(() => bench.remove());

const prove = (sandbox: Sandbox): Promise<SandboxProof[]> =>
  proveSandbox(sandbox, {
    stateFolder: bench.stateFolder,
    user: bench.user,
    covered: [bench.base, path.resolve(import.meta.dirname, '../../../..')],
  });

itInBox('each promise of a box holds, and is proved by an attempt to break it', async () => {
  const proofs = await prove(bubblewrap({ stateFolder: bench.stateFolder }));
  expect(proofs.filter(({ holds }) => !holds)).toEqual([]);
  expect(proofs.map(({ promise }) => promise)).toContain('the network is out of reach');
});

itInBox('without a box the same attempts succeed', async () => {
  bubblewrap({ stateFolder: bench.stateFolder });
  const broken = (await prove(unboxed())).filter(({ holds }) => !holds);
  expect(broken.map(({ promise }) => promise)).toEqual(
    expect.arrayContaining([
      'files outside of the workspace are not there',
      'secrets of the workspace are not there',
      'protected files can only be read',
      'the network is out of reach',
      'system calls are filtered',
      'what appears under a protected name is taken back',
    ]),
  );
  expect(broken.map(({ proof }) => proof).join('\n')).toContain('moved it away: wrote; replaced; moved');
});
