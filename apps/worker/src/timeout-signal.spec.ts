import { it } from '@jest/globals';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitFor } from '@bullpen/testing';
import { timeoutSignal } from './timeout-signal.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

it('fires as a part of another signal, however much garbage is collected meanwhile', async () => {
  const never = new AbortController().signal;
  let fired = 0;
  for (let n = 0; n < 10; n += 1) {
    const both = AbortSignal.any([never, timeoutSignal(300)]);
    both.addEventListener('abort', () => (fired += 1), { once: true });
  }
  const all = (): boolean => {
    collectGarbage();
    return fired === 10;
  };
  await waitFor(all, { what: 'all signals to fire' });
});
