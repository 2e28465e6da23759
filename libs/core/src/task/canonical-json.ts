/** One text for one value, whatever the order of its keys: what is hashed to name exactly this value. */
import type { Json } from '@bullpen/contracts';

/** One text for equal values: sorted keys, no spaces. Fields without a value do not count. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${fields.join(',')}}`;
}
