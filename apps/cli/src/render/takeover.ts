/** A lost worker, and how its task went on. Pure. */
import type { Losses } from '@bullpen/client';
import type { TaskEvent } from '@bullpen/contracts';
import { plural } from './format.js';
import { oneLine } from './plain-text.js';

export const WORKER_LOST = 'worker lost; the task goes on with another one';

type TakenOver = Extract<TaskEvent, { type: 'task.taken_over' }>['data'];

/** `resumed on another worker; 1 call repeated (read_file)`. */
export function takenOverText({ from, to, repeated, cutOff, modelCalls }: TakenOver): string {
  const found = [
    ...(repeated.length > 0 ? [`${plural(repeated.length, 'call')} repeated (${names(repeated)})`] : []),
    ...(cutOff.length > 0 ? [`${plural(cutOff.length, 'call')} cut off (${names(cutOff)})`] : []),
    ...(modelCalls > 0 ? [`${plural(modelCalls, 'model call')} sent again`] : []),
  ];
  const where = from === to ? 'resumed' : 'resumed on another worker';
  return `${where}; ${found.length > 0 ? found.join(', ') : 'nothing had to be repeated'}`;
}

function names(tools: readonly string[]): string {
  return [...new Set(tools.map(oneLine))].join(', ');
}

/** `1 worker lost: 3 tasks went on with another, 2 calls repeated`; empty when none was. */
export function lossesText({
  workers,
  tasks,
  repeatedCalls,
  cutOffCalls,
  repeatedModelCalls,
}: Losses): string {
  if (workers === 0) return '';
  const parts = [
    `${plural(tasks, 'task')} went on with another`,
    ...(repeatedCalls > 0 ? [`${plural(repeatedCalls, 'call')} repeated`] : []),
    ...(cutOffCalls > 0 ? [`${plural(cutOffCalls, 'call')} cut off`] : []),
    ...(repeatedModelCalls > 0 ? [`${plural(repeatedModelCalls, 'model call')} sent again`] : []),
  ];
  return `${plural(workers, 'worker')} lost: ${parts.join(', ')}`;
}
