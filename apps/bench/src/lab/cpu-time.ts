/** CPU time of another process: unlike the clock it does not care who else uses the machine. */
import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second, whatever its own tick is (`USER_HZ`, proc(5)). */
const MS_PER_TICK = 10;

/** User and system time so far, in ms; null where there is no `/proc`. */
export function cpuTimeMs(pid: number): number | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null; // Not Linux: the figure is left out.
  }
  // The name in brackets may hold spaces; the fields after it do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
