/** Numbers, times and money as people read them, in a terminal and in a browser. Pure; every function gives few columns. */
import { nanoUsdOf, type TokenUsage } from '@bullpen/contracts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span of time: `340 ms`, `4.2 s`, `1m 05s`, `2h 03m`, `3d 04h`. */
export function duration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < SECOND) return `${Math.round(span)} ms`;
  if (span < 10 * SECOND) return `${(Math.floor(span / 100) / 10).toFixed(1)} s`;
  if (span < MINUTE) return `${Math.floor(span / SECOND)} s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)}m ${two(Math.floor((span % MINUTE) / SECOND))}s`;
  if (span < DAY) return `${Math.floor(span / HOUR)}h ${two(Math.floor((span % HOUR) / MINUTE))}m`;
  return `${Math.floor(span / DAY)}d ${two(Math.floor((span % DAY) / HOUR))}h`;
}

/** When something goes on, in a sentence: `at once`, `in 4.2 s`. */
export function soon(ms: number): string {
  return ms < 1 ? 'at once' : `in ${duration(ms)}`;
}

/** How long ago, in a sentence: `just now`, `45s ago`. */
export function ago(at: string, now: number): string {
  const text = age(at, now);
  return text === 'now' ? 'just now' : `${text} ago`;
}

/** How long ago, for the column of a table: `now`, `45s`, `12m`, `3h`, `9d`. */
export function age(at: string, now: number): string {
  const span = Math.max(0, now - Date.parse(at));
  if (span < 5 * SECOND) return 'now';
  if (span < MINUTE) return `${Math.floor(span / SECOND)}s`;
  if (span < HOUR) return `${Math.floor(span / MINUTE)}m`;
  if (span < DAY) return `${Math.floor(span / HOUR)}h`;
  return `${Math.floor(span / DAY)}d`;
}

/** A count with a unit letter: `950`, `12.3k`, `4.5M`. */
export function count(value: number): string {
  if (value < 1_000) return String(value);
  const [scaled, unit] = value < 999_950 ? [value / 1_000, 'k'] : [value / 1_000_000, 'M'];
  return `${scaled < 99.95 ? scaled.toFixed(1) : scaled.toFixed(0)}${unit}`;
}

/** A size: `950 B`, `12.3 kB`, `4.5 MB`, `6.7 GB`. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value >= 999_950_000) return `${count(value / 1_000).slice(0, -1)} GB`;
  const text = count(value);
  return `${text.slice(0, -1)} ${text.slice(-1)}B`;
}

/** An exact amount rounded for reading: `$0.0123` below ten cents, `$1.23` above. Never `$0.00` for money that was spent. */
export function usd(amount: string): string {
  const nano = nanoUsdOf(amount.replace(/^-/, ''));
  const sign = amount.startsWith('-') ? '-' : '';
  if (nano === 0n) return '$0.00';
  if (nano < 100_000n) return `${sign}<$0.0001`;
  const digits = nano < 100_000_000n ? 4 : 2;
  const unit = 10n ** BigInt(9 - digits);
  const rounded = (nano + unit / 2n) / unit;
  const scale = 10n ** BigInt(digits);
  return `${sign}$${rounded / scale}.${(rounded % scale).toString().padStart(digits, '0')}`;
}

/** All tokens of a prompt, cached or not, and of the answers. */
export function tokens(usage: TokenUsage): string {
  return `${count(promptTokens(usage))} in, ${count(usage.outputTokens)} out`;
}

/** Tokens that were sent: uncached, written to the cache and read from it. */
export function promptTokens(usage: TokenUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
