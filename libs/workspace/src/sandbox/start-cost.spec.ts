import { afterEach, beforeEach, expect } from '@jest/globals';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import { bubblewrap } from './bubblewrap.js';
import { startCost } from './start-cost.js';

let bench: BoxBench;
beforeEach(async () => {
  bench = await BoxBench.make();
});
afterEach(() => bench.remove());

itInBox(
  'a start in a box is measured beside one without, in the same minute of the same machine',
  async () => {
    const sandbox = bubblewrap({ stateFolder: bench.stateFolder });
    const cost = await startCost(sandbox, { stateFolder: bench.stateFolder, user: bench.user }, 20);
    expect(cost).toMatchObject({
      starts: 20,
      differenceMs: expect.closeTo(cost.boxedMs - cost.unboxedMs, 0),
    });
    // A machine that runs the other specs too says little about how much it is: `npm run test:escape` holds it to 25 ms.
    expect(cost.boxedMs).toBeGreaterThan(cost.unboxedMs);
  },
);
