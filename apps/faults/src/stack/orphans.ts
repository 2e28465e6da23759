/** Processes that a drill's agents left behind: whoever has the drill's folder in its environment, or works in it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { waitFor } from '@bullpen/testing/harness';

/** Commands lines of processes that run on the workspaces of `home`. */
export function commandsIn(home: string): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
      if (/^\d+ \(.*\) [ZX] /s.test(status)) return []; // Dead, and not yet collected.
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const isOurs =
        environment.includes(`HOME=${home}/homes/`) ||
        readlinkSync(`/proc/${pid}/cwd`).startsWith(`${home}/workspaces`);
      if (!isOurs) return [];
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`];
    } catch {
      return []; // It ended while we looked, or is none of ours to look into.
    }
  });
}

/** Waits for them to end; gives those that do not. */
export async function orphansIn(home: string, timeoutMs = 10_000): Promise<readonly string[]> {
  const none = () => commandsIn(home).length === 0;
  await waitFor(none, { what: 'commands to end', timeoutMs, everyMs: 100 }).catch(() => undefined);
  return commandsIn(home);
}
