/**
 * Port: what stands between a model call and the provider. One gate for each provider key, shared by all workers that use it: when
 * the provider asks one of them to slow down, or refuses the key, all of them know and none of them runs into it again.
 */
import type { ModelErrorClass } from './model.js';

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
