/** A row of the transcript as text, for the clipboard. Pure. */
import type { Row } from '@bullpen/client';

/** `output`: all that a call gave back, when that is known. */
export function textOf(row: Row, output: string | null): string {
  switch (row.kind) {
    case 'user':
    case 'agent':
      return row.text === '' ? row.reasoning : row.text;
    case 'tool':
      return [
        `${row.tool} ${row.arguments === null ? row.draft : JSON.stringify(row.arguments)}`,
        output ?? (row.output || (row.preview ?? '')),
      ]
        .filter((part) => part !== '')
        .join('\n');
    case 'ask':
    case 'subtask':
      return row.title;
    case 'note':
      return JSON.stringify({ type: row.event.type, ...row.event.data });
  }
}
