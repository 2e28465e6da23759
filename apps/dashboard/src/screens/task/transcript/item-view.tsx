/** One item of the transcript, by what it is. */
import type { Row } from '@bullpen/client';
import { memo, type ReactNode } from 'react';
import { AskOfSubtask, AskView } from './ask-view.js';
import type { Match } from './find.js';
import type { Item } from './items.js';
import { MessageView } from './message-row.js';
import { NoteView } from './note-row.js';
import { SubtaskCards } from './subtask-cards.js';
import { ReadsCard, ToolCard } from './tool-card.js';

interface ItemViewProps {
  readonly item: Item;
  /** The task has ended, so that nothing runs any more. */
  readonly isOver: boolean;
  /** What was sought is in the output of one of its calls. */
  readonly found?: Match | undefined;
}

export const ItemView = memo(function ItemView({ item, isOver, found }: ItemViewProps): ReactNode {
  switch (item.kind) {
    case 'reads':
      return <ReadsCard rows={item.rows} found={found} />;
    case 'subtasks':
      return <SubtaskCards rows={item.rows} />;
    case 'ask':
      return <AskOfSubtask id={item.key} title={item.taskTitle} />;
    case 'row':
      return <RowView row={item.rows[0]} isOver={isOver} found={found} />;
  }
});

function RowView({ row, isOver, found }: { row: Row; isOver: boolean; found: Match | undefined }): ReactNode {
  switch (row.kind) {
    case 'user':
    case 'agent':
      return <MessageView row={row} />;
    case 'tool':
      return <ToolCard row={row} isOver={isOver} at={found?.line ?? undefined} />;
    case 'ask':
      return <AskView row={row} />;
    case 'subtask':
      return <SubtaskCards rows={[row]} />;
    case 'note':
      return <NoteView row={row} />;
  }
}
