/** Commands that run in no box, with their rows in memory. */
import { MemoryProcessRecords } from '@bullpen/core/testing';
import { Processes, unboxed, type CommandUser, type Sandbox } from '@bullpen/workspace';
import type { ToolsDeps } from '../create-tools.js';

export interface TestTools extends ToolsDeps {
  readonly records: MemoryProcessRecords;
}

let started = 0;

/** @param root a folder for homes and output; nothing can be run without one */
export function toolsDeps(
  root = '/nonexistent',
  user: CommandUser | null = null,
  sandbox: Sandbox = unboxed(),
): TestTools {
  const records = new MemoryProcessRecords();
  const newId = () => `proc_${++started}`;
  const processes = new Processes({
    ...{ sandbox, records, workerId: 'worker_1', outputsRoot: `${root}/outputs`, newId },
    onProblem: (error) => {
      throw error;
    },
  });
  return { command: { processes, path: '/usr/bin:/bin', user, homesRoot: `${root}/homes` }, records };
}
