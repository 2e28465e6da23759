/** Points in time as clients write them. */
import { z } from 'zod';

const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a time (ms since 1970) is in the years that JSON, JavaScript and Postgres write in the same way. */
export function isStorableTime(ms: number): boolean {
  return ms >= EARLIEST && ms <= LATEST;
}

/** A time with its offset. */
export const Time = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => isStorableTime(Date.parse(text)), 'must be a time in the years 1 to 9999 (UTC)');
