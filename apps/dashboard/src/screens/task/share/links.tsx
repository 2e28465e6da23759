/** The links to a task that work, and how to end them. */
import type { ShareView } from '@bullpen/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { serverNow } from '../../../app/server-clock.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Age, Until } from '../../../ui/time.js';
import { sharesQuery } from '../queries.js';

export function Links({ taskId }: { taskId: string }): ReactNode {
  const t = useText();
  const { data, error } = useQuery(sharesQuery(taskId));
  const open = (data ?? []).filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && Date.parse(expiresAt) > serverNow(),
  );
  if (error !== null) return <FailureNote error={error} />;
  if (open.length === 0) return null;
  return (
    <section aria-label={t('share.links')}>
      <h3 className="h2">{t('share.links')}</h3>
      <ul className="mini">
        {open.map((share) => (
          <LinkRow key={share.id} share={share} />
        ))}
      </ul>
    </section>
  );
}

function LinkRow({ share }: { share: ShareView }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const { id, taskId, createdBy, createdAt, expiresAt, opened } = share;
  const revoking = useMutation({
    mutationFn: () => bullpen.shares.revoke(id),
    onSettled: () => queries.invalidateQueries({ queryKey: sharesQuery(taskId).queryKey }),
  });
  return (
    <li>
      <span className="trunc">
        {createdBy}{' '}
        <span className="dim">
          · <Age at={createdAt} /> · {t('share.opened', { n: opened })}
        </span>
        {revoking.error !== null && <span className="sub">{revoking.error.message}</span>}
      </span>
      <span className="dim">
        {t('share.ends')} <Until at={expiresAt} />
      </span>
      <Button small kind="danger" disabled={revoking.isPending} onClick={() => revoking.mutate()}>
        {t('share.revoke')}
      </Button>
    </li>
  );
}
