/** Tasks as a table. Pure. */
import type { TaskView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { age, usd } from './format.js';
import { oneLine } from './plain-text.js';
import { paintState, taskStateWords } from './state.js';
import { renderTable } from './table.js';

const ROOM_FOR_AGENT = 90;

/** A line for each task; titles give way where the terminal is narrow. `now` is in ms. */
export function taskTable(tasks: readonly TaskView[], width: number, now: number, colors: Colors): string {
  return renderTable(
    tasks,
    [
      { title: 'ID', value: (task) => task.id, ids: true },
      {
        title: 'STATE',
        value: (task) => taskStateWords(task),
        paint: (text, task) => paintState(task.state, text, colors),
        shrinkTo: 9,
        lasts: true,
      },
      { title: 'TITLE', value: (task) => oneLine(task.title), shrinkTo: 8 },
      // In a narrow terminal the title says more.
      ...(width < ROOM_FOR_AGENT
        ? []
        : [{ title: 'AGENT', value: (task: TaskView) => oneLine(task.agent), shrinkTo: 6, lasts: true }]),
      { title: 'AGE', value: (task) => age(task.createdAt, now), align: 'right' },
      { title: 'TURNS', value: (task) => String(task.turns), align: 'right' },
      { title: 'COST', value: (task) => usd(task.usage.costUsd), align: 'right' },
    ],
    width,
    colors,
  );
}
