/** What the agent said before it asked: the reason behind the reason. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { taskQuery } from '../../app/queries/tasks.js';
import { useText } from '../../i18n/texts.js';
import { Icon } from '../icon.js';

/** So many events are looked through. */
const LOOK_BACK = 40;

export function LastWords({ taskId }: { taskId: string }): ReactNode {
  const t = useText();
  const { data: task } = useQuery(taskQuery(taskId));
  const after = Math.max(0, (task?.eventSeq ?? 0) - LOOK_BACK);
  const { data: words } = useQuery({
    queryKey: ['task', taskId, 'last-words', after],
    enabled: task !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await bullpen.tasks.events(taskId, { after, limit: LOOK_BACK, signal });
      const said = data
        .filter((event) => event.type === 'message.agent')
        .map((event) => event.data.text.trim());
      return said.findLast((text) => text !== '') ?? null;
    },
  });
  if (words == null) return null;
  return (
    <div>
      <div className="who">
        <Icon name="agents" small />
        {t('ask.saidBefore')}
      </div>
      <p className="quote">{words}</p>
    </div>
  );
}
