/** An answer in words: `allowed`, `denied: not on a Friday`. */
import type { Json } from '@bullpen/contracts';
import type { Translate } from '../../i18n/texts.js';
import type { TextKey } from '../../i18n/keys.js';

const DECISIONS: Readonly<Record<string, TextKey>> = {
  approve: 'answered.approve',
  deny: 'answered.deny',
  accept: 'answered.accept',
  revise: 'answered.revise',
  raise: 'answered.raise',
  continue: 'answered.continue',
  stop: 'answered.stop',
};

export function answerText(t: Translate, answer: Readonly<Record<string, Json>>): string {
  const { decision, choices, text, remarks, limitUsd, cancel } = answer;
  if (cancel === true) return t('answered.none');
  const known = typeof decision === 'string' ? DECISIONS[decision] : undefined;
  const words = [
    known === undefined ? null : t(known),
    limitUsd === undefined ? null : `$${String(limitUsd)}`,
    Array.isArray(choices) ? choices.map(String).join(', ') : null,
    typeof text === 'string' ? text : null,
    typeof remarks === 'string' ? remarks : null,
  ];
  return words.filter((word) => word !== null && word !== '').join(': ');
}
