/** Something that happened, as a line between what was said and called. */
import type { NoteRow } from '@bullpen/client';
import { memo, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { Clock } from '../../../ui/time.js';
import { Fold } from './fold.js';
import { noteOf } from './note-text.js';
import { useOpen } from './open-cards.js';

export const NoteView = memo(function NoteView({ row }: { row: NoteRow }): ReactNode {
  const t = useText();
  const note = noteOf(row.event, t);
  if (note === null) return null;
  const look = note.shortened === undefined ? note.tone : `${note.tone} shorter`;
  const line = (
    <div className={`cut ${look}`}>
      <span className="cut-text">
        {note.mark !== undefined && <Icon name={note.mark} small />}
        {note.text} <Clock at={row.at} />
        {note.said !== undefined && <span className="cut-said">{note.said}</span>}
        {note.shortened !== undefined && <span className="cut-said">{t('note.stillReadable')}</span>}
      </span>
    </div>
  );
  const summary = note.shortened?.summary ?? null;
  if (summary === null) return line;
  return (
    <>
      {line}
      <Summary id={row.key} text={summary} />
    </>
  );
});

/** What the model is sent in the place of what was said before. */
function Summary({ id, text }: { id: string; text: string }): ReactNode {
  const t = useText();
  const [isOpen, toggle] = useOpen(`${id} summary`);
  return (
    <div className="thought">
      <Fold isOpen={isOpen} onToggle={toggle}>
        {t('note.summary')}
      </Fold>
      {isOpen && <div className="quote plain">{text}</div>}
    </div>
  );
}
