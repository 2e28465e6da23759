/** Port: the rows of processes. A worker writes what it does with a process, and reads what others want of it. */
import type { ProcessState, ProcessView } from '@bullpen/contracts';
import type { Lease } from '../task/task.js';

export interface NewProcess {
  readonly id: string;
  readonly taskId: string;
  /** The lease under which it is started. */
  readonly epoch: number;
  readonly callId: string;
  readonly workerId: string;
  readonly host: string;
  readonly pidSpace: string;
  readonly command: string;
  readonly background: boolean;
  readonly limitMs: number;
}

export interface ProcessEnd {
  readonly state: Exclude<ProcessState, 'running'>;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cause: string | null;
  readonly outputBytes: number;
}

/** What the row of a running process asks of its worker. */
export interface ProcessOrder {
  readonly id: string;
  /** The process must end: its row says so already, or its task has ended. */
  readonly over: 'lost' | 'task_ended' | null;
  readonly killBy: string | null;
  readonly backgroundBy: string | null;
}

/** A process that another worker had started for a task. */
export interface LeftProcess {
  readonly id: string;
  readonly pidSpace: string;
  /** Null: it had not come to run. */
  readonly anchor: { readonly pid: number; readonly startTicks: number } | null;
}

export interface ProcessRecords {
  /** To be called before the process is started. False: the lease is lost, and nothing may start. */
  begin(process: NewProcess): Promise<boolean>;
  anchored(id: string, anchor: NonNullable<LeftProcess['anchor']>): Promise<void>;
  /** It goes on in the background, and may run for so long from its start. */
  toBackground(id: string, limitMs: number): Promise<void>;
  /** `notice`: what the agent is told with its next message; null: it knows. A row that is not of a running process stays as it is. */
  ended(id: string, end: ProcessEnd, notice: string | null): Promise<void>;
  /** Writes down how much they have put out, and gives what is wanted of those of which anything is. */
  report(running: readonly { readonly id: string; readonly outputBytes: number }[]): Promise<ProcessOrder[]>;
  /** The rows of processes that other workers left behind in the task, now marked as lost; its agent is told. */
  takeOver(lease: Lease): Promise<LeftProcess[]>;
  /** The newest first. */
  list(taskId: string, limit: number): Promise<ProcessView[]>;
  find(taskId: string, id: string): Promise<ProcessView | null>;
}

/** What an agent is told about the end of a process that it does not look at just then. */
export function processNotice({
  id,
  command,
  end,
}: {
  readonly id: string;
  readonly command: string;
  /** As the end of a sentence. */
  readonly end: string;
}): string {
  const line = command.split('\n', 1)[0] ?? '';
  const shown = line.length > 100 ? `${line.slice(0, 99)}…` : line;
  return `[process] ${id} (${shown}) ${end}. Its output is kept under this id. This is a report of the harness, not a message of the user.`;
}

/** How a process ended, as the end of a sentence: "exited with code 0". */
export function endText({ state, exitCode, signal, cause }: Omit<ProcessEnd, 'outputBytes'>): string {
  const how =
    exitCode !== null ? `exited with code ${exitCode}` : signal !== null ? `was ended by ${signal}` : 'ended';
  if (cause === null) return how;
  return state === 'lost' ? cause : `${cause}; it ${how}`;
}
