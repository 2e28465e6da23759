/** Finding a text in all that a transcript holds, drawn or not. Pure. */
import type { Row } from '@bullpen/client';
import { linesOf } from '../../../ui/output/terminal.js';

export interface Match {
  /** Of the row. */
  readonly key: string;
  /** The card that has to be open to show it; null: it is in sight. */
  readonly card: string | null;
  /** Of the output of a call; null: it is elsewhere in the row. */
  readonly line: number | null;
}

/** Nobody goes through more. */
export const MOST_MATCHES = 2_000;

/** Whether the text holds the query, as people compare: case and the form of composed letters do not count. */
function holds(text: string, query: string): boolean {
  return fold(text).includes(fold(query));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Where a row holds the query. `output`: what its call gave back, when that is known in full. */
export function matchesIn(row: Row, query: string, output: string | null): Match[] {
  switch (row.kind) {
    case 'user':
    case 'agent': {
      const found: Match[] = holds(row.text, query) ? [inSight(row)] : [];
      return holds(row.reasoning, query)
        ? [{ ...inSight(row), card: `${row.key} thought` }, ...found]
        : found;
    }
    case 'tool': {
      const called = holds(`${row.tool} ${JSON.stringify(row.arguments)} ${row.draft}`, query);
      const lines = linesOf(output ?? (row.output || (row.preview ?? '')));
      return [
        ...(called ? [inSight(row)] : []),
        ...lines.flatMap((text, line) => (holds(text, query) ? [{ key: row.key, card: row.key, line }] : [])),
      ];
    }
    case 'ask':
    case 'subtask':
      return holds(row.title, query) ? [inSight(row)] : [];
    case 'note':
      return holds(JSON.stringify(row.event.data), query) ? [inSight(row)] : [];
  }
}

function inSight({ key }: Row): Match {
  return { key, card: null, line: null };
}

/** Whether a call gave back more than its row has. */
export function hasMore(row: Row): boolean {
  return row.kind === 'tool' && row.preview !== null && row.preview.endsWith('…') && row.callId !== null;
}
