/**
 * What the provider asked for, model by model: pauses, and how calls come back after them. Its limits are those of a model, so
 * the others go on. Times are those of one steady clock; knows no I/O.
 */
import { rampWaitMs, type GateState } from '@bullpen/core';
import type { ProviderPause } from '@bullpen/store';

interface Pause {
  /** Null: of our own, and not stored yet. */
  readonly id: string | null;
  readonly until: number;
  readonly errorClass: string;
}

/** How calls come back since a time. */
export class Ramp {
  #started = 0;

  constructor(readonly at: number) {}

  waitMs(now: number): number {
    return rampWaitMs(now - this.at, this.#started);
  }

  start(): void {
    this.#started += 1;
  }
}

export class ModelPauses {
  readonly #models = new Map<string, { pause: Pause | null; ramp: Ramp | null }>();

  /** How it stands for a model; `open` counts as a call, in the model's ramp and in that of the key. */
  look(model: string, now: number, ofKey: Ramp | null): GateState {
    const { pause, ramp } = this.#of(model);
    if (pause && pause.until > now)
      return { kind: 'paused', forMs: Math.ceil(pause.until - now), errorClass: pause.errorClass };
    const ramps = [ramp, ofKey].filter((one) => one !== null);
    const forMs = Math.max(0, ...ramps.map((one) => one.waitMs(now)));
    if (forMs > 0) return { kind: 'ramping', forMs };
    for (const one of ramps) one.start();
    return { kind: 'open' };
  }

  /** A pause that this worker was asked for; false when a longer one is known. Of many calls that are refused together, the first says it all. */
  add(model: string, until: number, errorClass: string): boolean {
    const { pause } = this.#of(model);
    if (pause && pause.until >= until) return false;
    this.#set(model, { id: null, until, errorClass });
    return true;
  }

  /** Takes over what is stored. A pause that stands there no more was ended early: calls come back gradually then, too. */
  apply(stored: readonly ProviderPause[], now: number): void {
    const byModel = new Map(stored.map((pause) => [pause.model, pause]));
    for (const [model, { pause }] of this.#models) {
      if (pause === null || byModel.has(model)) continue;
      const ramp = pause.until > now ? new Ramp(now) : this.#of(model).ramp;
      this.#models.set(model, { pause: null, ramp });
    }
    for (const [model, { id, leftMs, errorClass }] of byModel)
      if (id !== this.#of(model).pause?.id) this.#set(model, { id, until: now + leftMs, errorClass });
  }

  isAnyOn(now: number): boolean {
    return [...this.#models.values()].some(({ pause }) => pause !== null && pause.until > now);
  }

  #of(model: string): { pause: Pause | null; ramp: Ramp | null } {
    return this.#models.get(model) ?? { pause: null, ramp: null };
  }

  /** The count of calls that came back starts anew when the model stays closed for longer than we knew. */
  #set(model: string, pause: Pause): void {
    const { ramp } = this.#of(model);
    const isLater = pause.until > (ramp?.at ?? -Infinity);
    this.#models.set(model, { pause, ramp: isLater ? new Ramp(pause.until) : ramp });
  }
}
