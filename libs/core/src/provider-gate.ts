/**
 * Port: what stands between a model call and the provider. One gate for each provider key, shared by all workers that use it: when
 * the provider asks one of them to slow down, or refuses the key, all of them know and none of them runs into it again.
 */
import type { ModelCallEnd } from './model-failure.js';
import { IN_PLACE_MS } from './retry.js';
import type { Run } from './run.js';
import type { ModelErrorClass } from './model.js';
import { suspend } from './suspend.js';

export type GateState =
  | { readonly kind: 'open' }
  /** The provider asked for a pause. */
  | { readonly kind: 'paused'; readonly forMs: number; readonly errorClass: string }
  /** A pause is over, and calls go out gradually (see `provider-ramp.ts`): it is someone else's turn, so ask again after `forMs`. */
  | { readonly kind: 'ramping'; readonly forMs: number }
  /** The key needs a person. */
  | { readonly kind: 'parked'; readonly errorClass: string; readonly message: string };

export interface ProviderGate {
  /** Fingerprint of endpoint and key. */
  readonly key: string;
  /**
   * Its state for a model now, as far as this process knows. Asked right before each call, and `open` counts as that call. Does no
   * I/O.
   */
  look(model: string): GateState;
  /**
   * The provider asked for a pause of at least `forMs`. Its limits and its capacity are those of a model: calls of others go on.
   * Must not throw: what cannot be shared now is shared later.
   */
  pause(model: string, forMs: number, errorClass: ModelErrorClass): Promise<void>;
  /** The provider refuses the key until a person has fixed it. Must not throw either. */
  park(errorClass: ModelErrorClass, message: string): Promise<void>;
}

/** A gate that is always open, for runs that share their key with nobody. */
export const OPEN_GATE: ProviderGate = {
  key: 'unshared',
  look: () => ({ kind: 'open' }),
  pause: () => Promise.resolve(),
  park: () => Promise.resolve(),
};

/** Tasks that waited for the same gate go through it spread over this share of their wait, and at least this long. */
const SPREAD = 0.2;
const MIN_SPREAD_MS = 1_000;
/** Those whose turn comes at the same border of the ramp go out spread over this time. */
const RAMP_SPREAD_MS = 200;

/** Waits in front of a closed gate, in place or by giving up the slot. */
export async function passGate(run: Run, signal: AbortSignal): Promise<'open' | ModelCallEnd> {
  const { state, deps } = run;
  for (;;) {
    const gate = deps.gate.look(state.task.definition.model);
    if (gate.kind === 'open') return 'open';
    if (gate.kind === 'parked') return waitForKey(run, gate.errorClass, gate.message);
    const delayMs = Math.ceil(gate.forMs + deps.random() * spreadOf(gate));
    if (gate.kind === 'paused') {
      const { errorClass } = gate;
      const message = 'The provider asked for a pause.';
      state.record({ events: [{ type: 'provider.waiting', data: { errorClass, message, delayMs } }] });
    }
    const waited = await waitOut(run, delayMs, signal);
    if (waited !== 'over') return waited;
  }
}

/**
 * Waits before a model call: for a short time in place, for a long one without the slot. `again`: there is something else to do
 * first.
 */
export async function waitOut(
  run: Run,
  delayMs: number,
  signal: AbortSignal,
): Promise<'over' | ModelCallEnd> {
  const { state, deps } = run;
  if (delayMs > IN_PLACE_MS) return suspendFor(run, 'backoff', delayMs);
  await state.flush();
  if (state.mustStop()) return { kind: 'again' };
  await deps.sleep(delayMs, signal);
  return signal.aborted || deps.shouldYield() ? { kind: 'again' } : 'over';
}

function spreadOf(gate: Extract<GateState, { forMs: number }>): number {
  return gate.kind === 'ramping' ? RAMP_SPREAD_MS : Math.max(MIN_SPREAD_MS, gate.forMs * SPREAD);
}

/** Suspends the task until the key is fixed; its history says what is wrong. */
export async function waitForKey(run: Run, errorClass: string, message: string): Promise<ModelCallEnd> {
  run.state.record({
    events: [{ type: 'provider.waiting', data: { errorClass, message, delayMs: null } }],
  });
  return suspendFor(run, 'provider', null);
}

/** Suspends the task for a time, or until its provider key is fixed. */
export async function suspendFor(
  run: Run,
  reason: 'provider' | 'backoff' | 'budget',
  dueInMs: number | null,
): Promise<ModelCallEnd> {
  const wait = {
    reason,
    mode: 'all' as const,
    childIds: [],
    dueInMs,
    ...(reason === 'provider' ? { providerKey: run.deps.gate.key } : {}),
  };
  return { kind: await suspend(run, wait) };
}
