/** Money. What has no price is said to have none, never $0. */
import { usd } from '@bullpen/client';
import type { UsageTotals } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';

export function Money({ usd: amount }: { usd: string }): ReactNode {
  return (
    <span className="num" title={`$${amount}`}>
      {usd(amount)}
    </span>
  );
}

/** What calls have cost, as far as their models have prices. */
export function Cost({ usage }: { usage: UsageTotals }): ReactNode {
  const t = useText();
  if (usage.unpricedCalls === 0) return <Money usd={usage.costUsd} />;
  if (usage.unpricedCalls === usage.modelCalls) return <span className="dim">{t('cost.notPriced')}</span>;
  return (
    <span title={t('cost.partly', { n: usage.unpricedCalls })}>
      <Money usd={usage.costUsd} />+
    </span>
  );
}
