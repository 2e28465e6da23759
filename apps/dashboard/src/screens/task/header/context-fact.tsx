/** How full the window of the model is: a bar of what the prompt is made of, and a mark where the conversation is made smaller. */
import { count } from '@bullpen/client';
import type { ContextSize } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Fact } from './fact.js';

export function ContextFact({ context }: { context: ContextSize | null }): ReactNode {
  const t = useText();
  if (context === null) return <Fact name={t('fact.context')} value={<span className="dim">–</span>} />;
  const { tokens, window, threshold } = context;
  return (
    <Fact
      name={t('fact.context')}
      aside={t('fact.condensesAt', { n: count(threshold) })}
      value={
        <>
          <b>{count(tokens)}</b> <span className="dim">{t('fact.ofTokens', { n: count(window) })}</span>
        </>
      }
    >
      <ContextMeter context={context} />
    </Fact>
  );
}

const PARTS = ['system', 'tools', 'messages'] as const;

/** As words for whoever does not see it, and on hover. */
function ContextMeter({ context }: { context: ContextSize }): ReactNode {
  const t = useText();
  const { window, threshold, reservedOutput, share, isEstimate } = context;
  const percentOf = (tokens: number): string => `${Math.min(100, (tokens / window) * 100).toFixed(2)}%`;
  const words = [
    t('fact.contextShare', { percent: Math.round(share * 100) }),
    ...PARTS.map((part) => t(`fact.contextOf.${part}`, { n: count(context[part]) })),
    t('fact.contextOf.output', { n: count(reservedOutput) }),
    ...(isEstimate ? [t('fact.contextEstimate')] : []),
  ].join(', ');
  return (
    <span className="meter" role="img" aria-label={words} title={words}>
      {PARTS.map((part) => (
        <i key={part} className={`ctx ${part}`} style={{ width: percentOf(context[part]) }} />
      ))}
      <i className="mark" style={{ left: percentOf(threshold) }} />
    </span>
  );
}
