/** Something that happened, as a line between what was said and called. */
import type { NoteRow } from '@bullpen/client';
import { memo, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { Clock } from '../../../ui/time.js';
import { noteOf } from './note-text.js';

export const NoteView = memo(function NoteView({ row }: { row: NoteRow }): ReactNode {
  const t = useText();
  const note = noteOf(row.event, t);
  if (note === null) return null;
  return (
    <div className={`cut ${note.tone}`}>
      <span className="cut-text">
        {note.mark !== undefined && <Icon name={note.mark} small />}
        {note.text} <Clock at={row.at} />
        {note.said !== undefined && <span className="cut-said">{note.said}</span>}
      </span>
    </div>
  );
});
