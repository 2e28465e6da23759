/** An exported task comes in: as a file that is chosen or dropped, or as text that is pasted. First a look at what is in it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type DragEvent, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { TextArea } from '../../../ui/fields.js';
import { Age } from '../../../ui/time.js';
import { lookAt, type Document, type Look } from './document.js';

export default function ImportDialog({ onClose }: { onClose: () => void }): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [look, show] = useState<Look | null>(null);
  const [isOver, hover] = useState(false);
  const importing = useMutation({
    mutationFn: ({ value }: Document) => bullpen.shares.import(value),
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['tasks'] });
      onClose();
      void navigate({ to: '/tasks/$taskId', params: { taskId: id } });
    },
  });
  const take = (file: File | undefined): void => {
    if (file !== undefined)
      void file.text().then(
        (text) => show(lookAt(text)),
        () => show({ fault: 'import.notRead' }),
      );
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    hover(false);
    take(event.dataTransfer.files[0]);
  };
  const document = look !== null && 'document' in look ? look.document : null;
  return (
    <ActDialog
      title={t('import.title')}
      act={t('import.act', { n: document?.tasks ?? 0 })}
      disabled={document === null || importing.isPending}
      error={importing.error}
      onAct={() => document !== null && importing.mutate(document)}
      onClose={onClose}
    >
      <p className="mid">{t('import.how')}</p>
      <label
        className={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          hover(true);
        }}
        onDragLeave={() => hover(false)}
        onDrop={drop}
      >
        <span>{t('import.file')}</span>
        <input
          type="file"
          accept=".json,application/json"
          onChange={({ target }) => take(target.files?.[0])}
        />
      </label>
      <Pasted onText={(text) => show(text.trim() === '' ? null : lookAt(text))} />
      {look !== null && (
        <p role="status" className={document === null ? 'import-fault' : ''}>
          {document === null ? (
            t('fault' in look ? look.fault : 'import.notRead')
          ) : (
            <Found document={document} />
          )}
        </p>
      )}
    </ActDialog>
  );
}

function Pasted({ onText }: { onText: (text: string) => void }): ReactNode {
  const t = useText();
  const [text, setText] = useState('');
  const change = (next: string): void => {
    setText(next);
    onText(next);
  };
  return (
    <TextArea
      label={t('import.paste')}
      code
      rows={4}
      placeholder='{ "format": "bullpen-task", …'
      value={text}
      onChange={change}
    />
  );
}

function Found({ document: { title, tasks, exportedAt } }: { document: Document }): ReactNode {
  const t = useText();
  return (
    <>
      <b>{title}</b>
      <span className="dim">
        {' · '}
        {t('usage.tasks', { n: tasks })} · {t('import.exported')} <Age at={exportedAt} />
      </span>
    </>
  );
}
