/** One way of failing: how often, when, of which agents; opened, the newest and what a retry would do. */
import { usd } from '@bullpen/client';
import type { FailureGroup } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Button, IconButton } from '../../ui/button.js';
import { Spark } from '../../ui/chart/spark.js';
import { Age } from '../../ui/time.js';

export function FailureGroupRow(props: {
  group: FailureGroup;
  isOpen: boolean;
  onToggle: () => void;
  onRetry: () => void;
}): ReactNode {
  const { group, isOpen, onToggle, onRetry } = props;
  const t = useText();
  const { cause, code, errorClass, message, count, agents, lastAt, trend, roots } = group;
  return (
    <div className="group">
      <div className="g">
        <IconButton
          icon={isOpen ? 'down' : 'right'}
          small
          label={t(isOpen ? 'failures.close' : 'failures.open', { what: code })}
          aria-expanded={isOpen}
          onClick={onToggle}
        />
        <span className="big">{count}</span>
        <span className="fail-how">
          <span className="strong fail-name">{(errorClass ?? cause).replaceAll('_', ' ')}</span>
          <span className="dim"> · {code}</span>
          <span className="msgmono trunc block">{message}</span>
        </span>
        <span className="hidep">
          <Spark values={trend} label={t('failures.trend', { n: count })} />
        </span>
        <span className="hidep mid trunc c-agent">{agents.join(', ')}</span>
        <span className="hidep dim num">
          <Age at={lastAt} />
        </span>
        <span className="r">
          {roots > 0 && (
            <Button small icon="retry" onClick={onRetry}>
              {t('failures.retry', { n: roots })}
            </Button>
          )}
        </span>
      </div>
      {isOpen && <Opened group={group} />}
    </div>
  );
}

function Opened({ group: { newest, firstAt, signature, count, roots } }: { group: FailureGroup }): ReactNode {
  const t = useText();
  return (
    <div className="look">
      <div>
        <h3 className="h2">{t('failures.newest')}</h3>
        <ul className="mini">
          {newest.map(({ id, title, at, costUsd }) => (
            <li key={id}>
              <Link className="link trunc" to="/tasks/$taskId" params={{ taskId: id }}>
                {title}
              </Link>
              <span className="num">{usd(costUsd)}</span>
              <span className="dim num">
                <Age at={at} />
              </span>
            </li>
          ))}
        </ul>
      </div>
      <div>
        <dl className="kv">
          <dt>{t('failures.first')}</dt>
          <dd>
            <Age at={firstAt} />
          </dd>
          <dt>{t('failures.subtasks')}</dt>
          <dd className="num">{count - roots}</dd>
        </dl>
        <Link className="link" to="/tasks" search={{ failure: signature }}>
          {t('failures.all', { n: count })}
        </Link>
      </div>
    </div>
  );
}
