/** The money of the tree is used up: how much more? */
import { usd } from '@bullpen/client';
import { leastLimit, type BudgetPayload } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { TextField } from '../fields.js';
import type { AskProps } from './ask-props.js';
import { AskFrame } from './ask-frame.js';
import { useAnswer } from './use-answer.js';

export function BudgetAsk({
  view,
  layout,
  onAnswered,
  asked,
}: AskProps & { asked: BudgetPayload }): ReactNode {
  const t = useText();
  const least = leastLimit(asked);
  const offers = offersFrom(Number(least));
  const [limit, setLimit] = useState(offers[1] ?? least);
  const { answer, isSending, refusal } = useAnswer(view, onAnswered);
  const isEnough = /^\d+(\.\d{1,9})?$/.test(limit) && Number(limit) >= Number(least);
  const actions = (
    <>
      <Button
        kind="primary"
        className="first"
        disabled={isSending || !isEnough}
        onClick={() => answer({ decision: 'raise', limitUsd: limit })}
      >
        {t('budget.raise', { amount: `$${limit}` })}
      </Button>
      <Button disabled={isSending} onClick={() => answer({ decision: 'stop' })}>
        {t('budget.finish')}
      </Button>
    </>
  );
  return (
    <AskFrame view={view} layout={layout} title={t('budget.title')} refusal={refusal} actions={actions}>
      <p className="say">
        {t('budget.spent', {
          spent: usd(asked.spentUsd),
          limit: usd(asked.limitUsd),
          needed: usd(asked.neededUsd),
        })}
      </p>
      <TextField
        label={t('budget.newLimit')}
        hint={t('budget.least', { amount: `$${least}` })}
        before="$"
        inputMode="decimal"
        value={limit}
        onChange={setLimit}
      />
      <div className="row">
        {offers.map((offer) => (
          <button
            key={offer}
            type="button"
            className="chip"
            aria-pressed={offer === limit}
            onClick={() => setLimit(offer)}
          >
            ${offer}
          </button>
        ))}
      </div>
    </AskFrame>
  );
}

/** Round amounts above what is needed. */
function offersFrom(least: number): string[] {
  return [1.2, 1.6, 2.4].map((factor) => {
    const amount = least * factor;
    const step = amount < 1 ? 0.1 : amount < 20 ? 1 : 10;
    return (Math.ceil(amount / step) * step).toFixed(2);
  });
}
