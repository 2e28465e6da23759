/** The workers: what each of them runs, and since when. */
import type { WorkerView } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Icon } from '../../ui/icon.js';
import { Age, Span } from '../../ui/time.js';
import { FlowButtons } from './flow-buttons.js';

/** So many tasks of a worker are shown. */
const MOST = 4;

export function Workers({ workers }: { workers: readonly WorkerView[] }): ReactNode {
  const t = useText();
  return (
    <section className="boxed wide-table" tabIndex={0} aria-label={t('workers.title')}>
      <header>
        <h2>{t('workers.title')}</h2>
        <span className="dim num">{workers.length}</span>
      </header>
      <table className="data-table workers">
        <thead>
          <tr>
            <th className="w-name">{t('workers.worker')}</th>
            <th className="w-slots">{t('workers.slots')}</th>
            <th>{t('workers.now')}</th>
            <th className="w-version">{t('workers.version')}</th>
            <th className="r w-seen">{t('workers.seen')}</th>
            <th className="w-act">
              <span className="vh">{t('workers.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <WorkerRow key={worker.id} worker={worker} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function WorkerRow({ worker }: { worker: WorkerView }): ReactNode {
  const t = useText();
  const { id, host, version, flow, seenAt, simulated } = worker;
  return (
    <tr>
      <td>
        <span className="strong trunc block" title={id}>
          {id}
        </span>
        <span className="sub">
          {flow.state !== 'open' && (
            <span className="st paused">
              <Icon name="paused" small />
              {t(`flow.is.${flow.state}`)} ·{' '}
            </span>
          )}
          {host}
          {simulated && ` · ${t('workers.simulated')}`}
        </span>
      </td>
      <td>
        <Slots worker={worker} />
      </td>
      <td>
        <Now tasks={worker.tasks} />
      </td>
      <td className="mid">{version}</td>
      <td className="r dim">
        <Age at={seenAt} />
      </td>
      <td className="r">
        <FlowButtons subject={{ kind: 'worker', name: id }} flow={flow} small />
      </td>
    </tr>
  );
}

function Slots({ worker: { slots, running, flow } }: { worker: WorkerView }): ReactNode {
  const t = useText();
  const text = t('workers.slotsUsed', { n: running, m: slots });
  const look = flow.state === 'open' ? 'u' : 'd';
  return (
    <span className="slots" role="img" aria-label={text} title={text}>
      {Array.from({ length: slots }, (_, index) => (
        <i key={index} className={index < running ? look : undefined} />
      ))}
    </span>
  );
}

function Now({ tasks }: { tasks: WorkerView['tasks'] }): ReactNode {
  const t = useText();
  if (tasks.length === 0) return <span className="dim">{t('workers.idle')}</span>;
  return (
    <div className="now">
      {tasks.slice(0, MOST).map(({ id, title, doing, since }) => (
        <span key={id}>
          <Link className="trunc" to="/tasks/$taskId" params={{ taskId: id }}>
            {title}
          </Link>
          <span className="mid trunc">{doing === null ? '' : `${doing.name} ${doing.detail ?? ''}`}</span>
          <span className="num dim">
            <Span from={doing?.since ?? since} />
          </span>
        </span>
      ))}
      {tasks.length > MOST && <span className="dim">{t('workers.more', { n: tasks.length - MOST })}</span>}
    </div>
  );
}
