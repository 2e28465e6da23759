/** The work modes of a task: where it is, the way it took, what leads on now, and what does not. */
import { isTerminal, type TransitionsView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { modesQuery } from '../../../app/queries/system.js';
import { useText } from '../../../i18n/texts.js';
import { ModeMap } from '../../../ui/modes/mode-map.js';
import { pathOf } from '../../../ui/modes/path.js';
import { Unread } from '../../../ui/unread.js';
import { transitionsQuery } from '../queries.js';
import { useShownTask } from '../task-context.js';
import { FireForm } from './fire-form.js';
import { WayTable } from './way-table.js';

export function ModesTab(): ReactNode {
  const { task } = useShownTask();
  const reading = useQuery(transitionsQuery(task.id));
  const { data: view } = reading;
  return (
    <div className="tab-body modes-tab">
      <Unread query={reading} rows={6} />
      {view !== undefined && <Standing view={view} isOver={isTerminal(task.state)} />}
    </div>
  );
}

function Standing({ view, isOver }: { view: TransitionsView; isOver: boolean }): ReactNode {
  const t = useText();
  const { data: modes } = useQuery(modesQuery);
  const { mode, history } = view;
  const path = useMemo(() => pathOf(history, mode), [history, mode]);
  if (mode === null) return <p className="dim">{t('modes.free')}</p>;
  const what = modes?.find(({ name }) => name === mode)?.description;
  return (
    <>
      <p className="mode-now">
        <Link className="link strong" to="/modes" search={{ mode }}>
          {mode}
        </Link>{' '}
        <span className="dim">{what}</span>
      </p>
      {!isOver && <FireForm view={view} />}
      {modes !== undefined && <ModeMap modes={modes} chosen={null} path={path} />}
      <WayTable history={history} />
    </>
  );
}
