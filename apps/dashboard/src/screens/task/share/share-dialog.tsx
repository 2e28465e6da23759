/** A task for others: a link that anybody can read for a while, or a file. Before either goes out one sees what is masked in it. */
import type { TaskView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { Unread } from '../../../ui/unread.js';
import { sharePreviewQuery } from '../queries.js';
import { Exports } from './exports.js';
import { Links } from './links.js';
import { MaskedPlaces } from './masked-places.js';
import { NewLink } from './new-link.js';

export default function ShareDialog({ task, onClose }: { task: TaskView; onClose: () => void }): ReactNode {
  const t = useText();
  const reading = useQuery(sharePreviewQuery(task.id));
  const { data: look } = reading;
  return (
    <Dialog
      title={t('share.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('action.close')}</Button>}
    >
      <p className="mid">{t('share.how')}</p>
      <Unread query={reading} rows={1} />
      {look !== undefined && (
        <>
          <MaskedPlaces look={look} />
          <NewLink taskId={task.id} />
        </>
      )}
      <Links taskId={task.id} />
      {look !== undefined && <Exports taskId={task.id} />}
    </Dialog>
  );
}
