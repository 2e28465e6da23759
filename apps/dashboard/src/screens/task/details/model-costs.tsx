/** What each model cost, in the whole tree below the task. */
import { promptTokens } from '@bullpen/client';
import type { TaskUsageView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Cost } from '../../../ui/money.js';
import { Section } from './section.js';

export function ModelCosts({ usage, onOpen }: { usage: TaskUsageView; onOpen: () => void }): ReactNode {
  const t = useText();
  const prompt = promptTokens(usage.tree);
  if (usage.tree.modelCalls === 0) return null;
  return (
    <Section
      title={t('details.costByModel')}
      end={
        <button type="button" className="link" onClick={onOpen}>
          {t('details.byTask')}
        </button>
      }
    >
      <ul>
        {usage.byModel.map((model) => (
          <li key={model.model}>
            <span className="grow trunc">{model.model}</span>
            <Cost usage={model} />
          </li>
        ))}
        {prompt > 0 && (
          <li className="dim">
            <span className="grow">{t('details.fromCache')}</span>
            <span className="num">
              {t('details.ofInput', { percent: Math.round((usage.tree.cacheReadTokens / prompt) * 100) })}
            </span>
          </li>
        )}
      </ul>
    </Section>
  );
}
