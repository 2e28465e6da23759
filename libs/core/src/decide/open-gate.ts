import type { ProviderGate } from '../ports/gate.js';

/** A gate that is always open, for runs that share their key with nobody. */
export const OPEN_GATE: ProviderGate = {
  key: 'unshared',
  look: () => ({ kind: 'open' }),
  pause: () => Promise.resolve(),
  park: () => Promise.resolve(),
};
