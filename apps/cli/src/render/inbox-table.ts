/** What waits for people as a table, and what to type about it. Pure. */
import type { InteractionView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { age } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';

export function inboxTable(
  views: readonly InteractionView[],
  width: number,
  now: number,
  colors: Colors,
  withState: boolean,
): string {
  return renderTable(
    views,
    [
      { title: 'ID', value: ({ id }) => id },
      { title: 'AGE', value: ({ createdAt }) => age(createdAt, now), align: 'right' },
      { title: 'KIND', value: ({ kind }) => kind, paint: (text) => colors.yellow(text) },
      ...(withState ? [{ title: 'STATE', value: ({ state }: InteractionView) => state }] : []),
      { title: 'TASK', value: ({ taskTitle }) => oneLine(taskTitle), shrinkTo: 8 },
      { title: 'ASKS', value: ({ title }) => oneLine(title), shrinkTo: 12 },
    ],
    width,
    colors,
  );
}

/** The commands that answer it, the likeliest first; each can be typed as it stands once the words in capitals are replaced. */
export function answerCommands({ id, kind }: Pick<InteractionView, 'id' | 'kind'>): string[] {
  switch (kind) {
    case 'approval':
      return [`bullpen approve ${id}`, `bullpen deny ${id} --remark "WHY"`];
    case 'plan':
      return [`bullpen approve ${id}`, `bullpen deny ${id} --remark "WHAT TO CHANGE"`];
    case 'question':
      return [`bullpen answer ${id} "YOUR ANSWER"`, `bullpen inbox show ${id}`];
    case 'budget':
      return [`bullpen answer ${id} --raise 10.00`, `bullpen answer ${id} --stop`];
    case 'mistakes':
      return [`bullpen answer ${id} --guidance "HOW TO GO ON"`, `bullpen answer ${id} --stop`];
  }
}

/** What waits, with its commands, for a place where nobody can be asked. */
export function waitingLines(views: readonly InteractionView[], colors: Colors): string[] {
  return views.flatMap((view) => [
    `${colors.yellow(view.kind)} ${oneLine(view.title)}`,
    ...answerCommands(view).map((command) => `  ${colors.cyan(command)}`),
  ]);
}
