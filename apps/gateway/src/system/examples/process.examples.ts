/** Examples: the commands of agents. */
import type { ProcessOutput, ProcessView } from '@bullpen/contracts';
import { at, CALL_ID, onlyPage, PROCESS_ID, TASK_ID, WORKER_ID, type OperationExample } from './example.js';

const running: ProcessView = {
  id: PROCESS_ID,
  taskId: TASK_ID,
  callId: CALL_ID,
  command: 'npm run dev',
  background: true,
  state: 'running',
  exitCode: null,
  signal: null,
  cause: null,
  limitMs: 3_600_000,
  outputBytes: 42,
  workerId: WORKER_ID,
  host: 'build-1',
  startedAt: at('09:30:03'),
  endedAt: null,
};
const killed: ProcessView = {
  ...running,
  state: 'killed',
  signal: 'SIGTERM',
  cause: 'stopped by local',
  endedAt: at('09:31:00'),
};
const output: ProcessOutput = {
  processId: PROCESS_ID,
  state: 'running',
  from: 0,
  to: 42,
  size: 42,
  leftOut: [],
  encoding: 'text',
  data: 'vite ready in 310 ms\nhttp://localhost:5173\n',
};
const parameters = { id: PROCESS_ID };

export const processExamples: Readonly<Record<string, OperationExample>> = {
  listProcesses: { parameters: { id: TASK_ID, limit: 50 }, answer: onlyPage(running) },
  getProcess: { parameters, answer: running },
  getProcessOutput: {
    parameters: { ...parameters, from: 0, limit: 65_536, encoding: 'text' },
    answer: output,
  },
  killProcess: { parameters, answer: killed },
  moveProcessToBackground: { parameters, answer: running },
};
