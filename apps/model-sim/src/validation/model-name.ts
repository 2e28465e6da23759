/** What the simulator can tell about a model from its name alone. */
import { ApiError } from '../api-error.js';

/** Throws the API's 404 for a model that is neither `claude-…` nor `sim-…`. */
export function checkModelName(model: string): void {
  if (!/^(claude|sim)-/.test(model)) throw new ApiError(404, 'not_found_error', `model: ${model}`);
}

/**
 * Version of the model as a number: 4.7 for claude-opus-4-7, 3.5 for claude-3-5-haiku-…, 5 for claude-sonnet-5.
 * A name without a version (`sim-…`) counts as the newest: Infinity.
 */
export function modelVersion(model: string): number {
  // Eight digits at the end are a date, not a version.
  const digits = /-(\d)(?:-(\d))?(?=-|$)/.exec(model);
  return digits === null ? Infinity : Number(`${digits[1]}.${digits[2] ?? 0}`);
}

/** Most tokens that a reply of this model may have; from the provider's model table of autumn 2026. */
export function outputLimit(model: string): number {
  return modelVersion(model) <= 4.5 || model.startsWith('claude-sonnet-4-6') ? 64_000 : 128_000;
}
