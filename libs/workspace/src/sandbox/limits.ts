/** What a box may use, set in the box itself: process counts are then its own, and nothing that it starts can raise them. */
import type { BoxLimits } from './sandbox.js';

/** Room for files in memory, which counts as memory: a part of the whole, so that programs have the rest. */
export function memoryFolders({ memoryBytes }: BoxLimits): { readonly tmp: number; readonly shm: number } {
  return { tmp: Math.floor(memoryBytes / 2), shm: Math.floor(memoryBytes / 4) };
}

/** For bash, which counts file sizes in blocks of 1,024 bytes. A machine that is short of memory takes the box before anything else. */
export function limitCommands(limits: BoxLimits): string {
  return [
    'ulimit -c 0',
    `ulimit -u ${limits.processes}`,
    `ulimit -n ${limits.openFiles}`,
    `ulimit -f ${Math.floor(limits.fileBytes / 1_024)}`,
    `ulimit -t ${limits.cpuSeconds}`,
    'echo 1000 > /proc/self/oom_score_adj',
  ]
    .map((line) => `${line} 2>/dev/null`)
    .join('; ');
}
