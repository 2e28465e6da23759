/** Models and model profiles as a table. Pure. */
import type { ModelChoice } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';

/** A line for each; prices are dollars for a million tokens. */
export function modelTable(models: readonly ModelChoice[], width: number, colors: Colors): string {
  return renderTable(
    models,
    [
      {
        title: 'NAME',
        value: ({ id, isDefault }) => `${oneLine(id)}${isDefault ? ' (default)' : ''}`,
        lasts: true,
      },
      {
        title: 'MODEL',
        value: ({ id, profile }) => (profile.model === id ? '' : oneLine(profile.model)),
        shrinkTo: 10,
      },
      { title: 'WINDOW', value: ({ profile }) => thousands(profile.contextWindow), align: 'right' },
      { title: 'ANSWER', value: ({ profile }) => thousands(profile.maxOutputTokens), align: 'right' },
      { title: 'THINKING', value: thinkingText },
      { title: 'IN', value: ({ price }) => price?.input ?? '-', align: 'right' },
      { title: 'OUT', value: ({ price }) => price?.output ?? '-', align: 'right' },
      { title: 'FALLBACK', value: ({ profile }) => profile.fallback.map(oneLine).join(', '), shrinkTo: 10 },
    ],
    width,
    colors,
  );
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 1_000)}k`;
}

function thinkingText({ profile: { thinking, effort } }: ModelChoice): string {
  const how = typeof thinking === 'string' ? thinking : thousands(thinking.budgetTokens);
  return effort === null ? how : `${how}, ${effort}`;
}
