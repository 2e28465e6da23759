/** Messages of an inbox as a table. Pure. */
import type { InboxMessageView } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { age } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';

/** Messages to a task, with whether the agent has read them. */
export function messageTable(
  messages: readonly InboxMessageView[],
  width: number,
  now: number,
  colors: Colors,
): string {
  return renderTable(
    messages,
    [
      { title: 'ID', value: ({ id }) => id, ids: true },
      {
        title: 'STATE',
        value: stateOf,
        paint: (text, message) => (stateOf(message) === 'pending' ? colors.yellow(text) : colors.dim(text)),
      },
      { title: 'AGE', value: ({ createdAt }) => age(createdAt, now), align: 'right' },
      {
        title: 'TEXT',
        value: ({ text, editedAt }) => `${oneLine(text)}${editedAt === null ? '' : ' (edited)'}`,
        shrinkTo: 10,
      },
    ],
    width,
    colors,
  );
}

function stateOf({ deliveredAt, withdrawnAt }: InboxMessageView): string {
  if (withdrawnAt !== null) return 'withdrawn';
  return deliveredAt === null ? 'pending' : 'delivered';
}
