/** What waits for people as a table, and what to type about it. Pure. */
import { BudgetPayload, leastLimit, QuestionPayload, type InteractionView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { age } from './format.js';

import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';

/** What waits for people, with how long it has waited at `now` (ms). */
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
      { title: 'ID', value: ({ id }) => id, ids: true },
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
export function answerCommands(view: InteractionView): string[] {
  const { id, kind } = view;
  switch (kind) {
    case 'approval':
      return [`bullpen approve ${id}`, `bullpen deny ${id} --remark "WHY"`];
    case 'plan':
      return [`bullpen approve ${id}`, `bullpen deny ${id} --remark "WHAT TO CHANGE"`];
    case 'question':
      return [...questionCommands(view), `bullpen inbox show ${id}`];
    case 'budget':
      return [`bullpen answer ${id} --raise ${raiseOf(view)}`, `bullpen answer ${id} --stop`];
    case 'mistakes':
      return [`bullpen answer ${id} --guidance "HOW TO GO ON"`, `bullpen answer ${id} --stop`];
  }
}

function questionCommands({ id, payload }: InteractionView): string[] {
  const asked = QuestionPayload.safeParse(payload);
  const { options, multiple, freeText } = asked.success ? asked.data : NO_OPTIONS;
  const choose = `bullpen answer ${id} --choose "OPTION"${multiple ? ' --choose "ANOTHER"' : ''}`;
  return [
    ...(options.length > 0 ? [choose] : []),
    ...(freeText ? [`bullpen answer ${id} "YOUR ANSWER"`] : []),
  ];
}

const NO_OPTIONS = { options: [], multiple: false, freeText: true };

/** A limit that would be taken. */
function raiseOf({ payload }: InteractionView): string {
  const asked = BudgetPayload.safeParse(payload);
  const least = asked.success ? leastLimit(asked.data) : '0';
  return Number(least) > 10 ? least : '10.00';
}

/** What is waiting, with the commands that answer it, for a place where nobody can be asked. */
export function waitingLines(views: readonly InteractionView[], colors: Colors): string[] {
  return views.flatMap((view) => [
    `${colors.yellow(view.kind)} ${oneLine(view.title)}`,
    ...optionLines(view),
    ...answerCommands(view).map((command) => `  ${colors.cyan(command)}`),
  ]);
}

function optionLines({ kind, payload }: InteractionView): string[] {
  const asked = kind === 'question' ? QuestionPayload.safeParse(payload) : null;
  if (!asked?.success) return [];
  return asked.data.options.map(({ label }) => `  ${asked.data.multiple ? '☐' : '○'} ${oneLine(label)}`);
}
