/** Times and spans as people write them in flags. */
import { InvalidArgumentError } from 'commander';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A span of time in ms, for flags: `90s`, `30m`, `2h`, `30d`. */
export function parseSpan(text: string): number {
  const span = /^(\d{1,6})\s*([smhd])$/.exec(text.trim());
  if (span) return Number(span[1]) * UNITS[span[2] as keyof typeof UNITS];
  throw new InvalidArgumentError('It must be like 90s, 30m, 2h or 30d.');
}

/** A time that is over, for flags: so long ago (`2h`), or any time that has a date. */
export function parsePast(text: string): string {
  if (/^\d+\s*[smhd]$/.test(text.trim())) return new Date(Date.now() - parseSpan(text)).toISOString();
  return parseTime(text);
}

/** A time as people write it, for flags: from now (`90s`, `30m`, `2h`, `3d`), or any time that has a date. */
export function parseTime(text: string): string {
  if (/^\d{1,6}\s*[smhd]$/.test(text.trim())) return new Date(Date.now() + parseSpan(text)).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError(
    'It must be like 90s, 30m, 2h or 3d from now, or a time like 2030-01-31T18:00.',
  );
}

/** A time that is still to come, for flags. */
export function parseDeadline(text: string): string {
  const time = parseTime(text);
  if (Date.parse(time) > Date.now()) return time;
  throw new InvalidArgumentError(`It must be in the future, and ${time} is not.`);
}
