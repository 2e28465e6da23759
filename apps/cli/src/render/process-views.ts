/** Processes of agents, for people. Pure. */
import type { ProcessView } from '@bullpen/contracts';
import { age } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';
import type { TableOptions } from './webhook-tables.js';

/** A line for each command of a task: what runs, and how the rest ended. */
export function processTable(
  processes: readonly ProcessView[],
  { width, now, colors }: TableOptions,
): string {
  return renderTable(
    processes,
    [
      { title: 'PROCESS', value: ({ id }) => oneLine(id), ids: true },
      { title: 'AGE', value: ({ startedAt }) => age(startedAt, now), align: 'right' },
      {
        title: 'STATE',
        value: stateText,
        paint: (text, { state, exitCode }) => paint(text, state, exitCode, colors),
      },
      { title: 'BYTES', value: ({ outputBytes }) => String(outputBytes), align: 'right' },
      { title: 'COMMAND', value: ({ command }) => oneLine(command), shrinkTo: 20 },
    ],
    width,
    colors,
  );
}

/** All of one process, a line for each fact. */
export function processDetails(process: ProcessView): string {
  const facts: [string, string | null][] = [
    ['process', process.id],
    ['task', process.taskId],
    ['command', process.command],
    ['state', stateText(process)],
    ['cause', process.cause],
    ['started', process.startedAt],
    ['ended', process.endedAt],
    ['limit', `${process.limitMs / 1_000} s`],
    ['output', `${process.outputBytes} bytes`],
    ['machine', `${process.host} (${process.workerId})`],
  ];
  return facts
    .flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(8)} ${oneLine(value)}`]))
    .join('\n');
}

/** `exit 3`, `SIGKILL`, `timed out`, `running (background)`. */
function stateText({ state, exitCode, signal, background }: ProcessView): string {
  if (state === 'running') return background ? 'running (background)' : 'running';
  if (state === 'exited') return exitCode === null ? (signal ?? 'ended') : `exit ${exitCode}`;
  return state === 'timed_out' ? 'timed out' : state;
}

function paint(
  text: string,
  state: ProcessView['state'],
  exitCode: number | null,
  colors: TableOptions['colors'],
): string {
  if (state === 'running') return colors.yellow(text);
  return state === 'exited' && exitCode === 0 ? colors.green(text) : colors.red(text);
}
