/** Each try at the task, newest first, and why it was not the last. */
import type { AttemptView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { Age, Span } from '../../../ui/time.js';
import { Section } from './section.js';

export function Attempts({ attempts }: { attempts: readonly AttemptView[] }): ReactNode {
  const t = useText();
  if (attempts.length === 0) return null;
  return (
    <Section title={t('details.attempts')}>
      <ul>
        {[...attempts].reverse().map((attempt) => (
          <AttemptRow key={attempt.number} attempt={attempt} />
        ))}
      </ul>
    </Section>
  );
}

function AttemptRow({ attempt }: { attempt: AttemptView }): ReactNode {
  const t = useText();
  const { number, outcome, startedAt, endedAt, failure } = attempt;
  const look = lookOf(attempt);
  return (
    <li>
      <span className={`st ${look}`} role="img" aria-label={t(`state.${look}`)}>
        <Icon name={look} />
      </span>
      <span className="grow">
        {number}
        <span className="dim">
          {outcome !== null && ` · ${outcome.replaceAll('_', ' ')}`}
          {startedAt !== null && (
            <>
              {' · '}
              <Span from={startedAt} to={endedAt} />
            </>
          )}
          {endedAt !== null && (
            <>
              {' · '}
              <Age at={endedAt} />
            </>
          )}
        </span>
        {failure !== null && <span className="why dim">{failure.message}</span>}
      </span>
    </li>
  );
}

function lookOf({ outcome, failure }: AttemptView) {
  if (outcome === null) return 'running';
  if (outcome === 'goal' || outcome === 'partial') return 'completed';
  return failure === null ? 'cancelled' : 'failed';
}
