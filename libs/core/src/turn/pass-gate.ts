/** The way through the gate of a provider key: a run waits in front of it in place, or gives up its slot. */
import { isOnItsOwn, profileOf } from '../task/profile-of.js';
import type { GateState } from '../ports/gate.js';
import { IN_PLACE_MS } from '../decide/retry.js';
import type { ModelCallEnd, Run } from './run.js';
import { suspend } from './suspend.js';

/** Tasks that waited for the same gate go through it spread over this share of their wait, and at least this long. */
const SPREAD = 0.2;
const MIN_SPREAD_MS = 1_000;
/** Those whose turn comes at the same border of the ramp go out spread over this time. */
const RAMP_SPREAD_MS = 200;

/** Waits in front of a closed gate, in place or by giving up the slot. */
export async function passGate(run: Run, signal: AbortSignal): Promise<'open' | ModelCallEnd> {
  const { state, deps } = run;
  for (;;) {
    const profile = profileOf(state.task);
    if (isOnItsOwn(profile)) return 'open';
    const gate = deps.gate.look(profile.model);
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
