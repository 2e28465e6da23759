/** One mode: what it is for, what is on offer in it, and the ways in and out. */
import type { ModeRule, ModeView } from '@bullpen/contracts';
import { useId, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { phaseText } from '../../ui/modes/mode-map.js';
import { ModeLink } from './mode-link.js';

export function ModePanel({ mode, modes }: { mode: ModeView; modes: readonly ModeView[] }): ReactNode {
  const t = useText();
  const id = useId();
  const { name, description, rules, prompt } = mode;
  const ways = modes.flatMap(({ name: from, rules: others }) =>
    others.filter(({ to }) => to === name).map((rule) => ({ from, rule })),
  );
  return (
    <section className="boxed mode-panel" aria-labelledby={id}>
      <header aria-live="polite">
        <h2 id={id}>{name}</h2>
      </header>
      <div className="pad mode-parts">
        <p>{description}</p>
        <Facts mode={mode} />
        <h3>{t('modes.out')}</h3>
        <ul className="mode-rules">
          {rules.map((rule, at) => (
            <RuleItem key={at} rule={rule} end={<ModeLink name={rule.to} />} sign="→" />
          ))}
        </ul>
        <h3>{t('modes.in')}</h3>
        {ways.length === 0 && <p className="dim">{t('modes.noWayIn')}</p>}
        <ul className="mode-rules">
          {ways.map(({ from, rule }, at) => (
            <RuleItem key={at} rule={rule} end={<ModeLink name={from} />} sign="←" />
          ))}
        </ul>
        <details>
          <summary>{t('modes.prompt')}</summary>
          <div className="mode-prompt">
            {prompt.split(/\n{2,}/).map((part, at) => (
              <p key={at}>{part}</p>
            ))}
          </div>
        </details>
      </div>
    </section>
  );
}

function Facts({ mode: { phase, groups, asks, source } }: { mode: ModeView }): ReactNode {
  const t = useText();
  return (
    <dl className="mode-facts">
      <dt>{t('modes.phase')}</dt>
      <dd>{t(phaseText(phase))}</dd>
      <dt>{t('modes.groups')}</dt>
      <dd>{groups.length === 0 ? t('modes.noGroups') : groups.join(', ')}</dd>
      <dt>{t('modes.asks')}</dt>
      <dd>{t(`modes.asks.${asks}`)}</dd>
      {source.kind !== 'built-in' && (
        <>
          <dt>{t('modes.source')}</dt>
          <dd>
            <code>{source.name}</code>
          </dd>
        </>
      )}
    </dl>
  );
}

/** A rule in full, seen from one of its ends. */
function RuleItem({ rule, end, sign }: { rule: ModeRule; end: ReactNode; sign: string }): ReactNode {
  const t = useText();
  const { on, priority, when, means } = rule;
  return (
    <li>
      <span className="mode-rule">
        <code>{on}</code>
        <span aria-hidden>{sign}</span> {end}
        <span className="dim num" title={t('modes.priority')}>
          <span className="vh">{t('modes.priority')} </span>
          {priority}
        </span>
      </span>
      <small className="dim">
        {when !== null && <b className="strong">{t(`modes.when.${when}`)}: </b>}
        {means}
      </small>
    </li>
  );
}
