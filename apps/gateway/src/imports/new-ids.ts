/** Ids of another installation mean nothing here, or something else. */
import type { IdPrefix } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';

const PREFIXES = [
  ...['task', 'msg', 'call', 'mcall', 'wait', 'inbox', 'ask', 'usage', 'key', 'worker', 'req', 'webhook'],
  ...['delivery', 'proc', 'ckpt', 'bulk', 'view', 'share', 'restore'],
];
const ID = new RegExp(`\\b(${PREFIXES.join('|')})_[0-9a-hjkmnp-tv-z]{26}\\b`, 'g');

/**
 * The value with another id in the place of each, the same for the same wherever it is, in texts and names of members too: an event that names a request which
 * waits for somebody here would lead a person to answer that. Gives what each has become as well.
 */
export function withNewIds<T>(value: T): { readonly value: T; readonly became: ReadonlyMap<string, string> } {
  const became = new Map<string, string>();
  const text = JSON.stringify(value).replace(ID, (was, prefix: IdPrefix) => {
    const known = became.get(was) ?? newId(prefix);
    became.set(was, known);
    return known;
  });
  return { value: JSON.parse(text) as T, became };
}
