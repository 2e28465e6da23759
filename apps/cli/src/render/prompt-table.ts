/** The prompt log of a task, for people. Pure. */
import type { ModelCallView } from '@bullpen/contracts';
import { count, duration, promptTokens } from './format.js';
import { oneLine } from './plain-text.js';
import { renderTable } from './table.js';
import type { TableOptions } from './webhook-tables.js';

/** A line for each model call: how much was sent and how much of it came from the cache, how long it took, and how to ask the provider about it. */
export function promptTable(
  calls: readonly ModelCallView[],
  { width, colors }: Omit<TableOptions, 'now'>,
): string {
  return renderTable(
    calls,
    [
      {
        title: 'TURN',
        value: ({ turn, attempt }) => (attempt === 1 ? `${turn}` : `${turn}.${attempt}`),
        align: 'right',
      },
      { title: 'STATUS', value: ({ status, errorClass }) => errorClass ?? status },
      { title: 'PROFILE', value: ({ profile, model }) => oneLine(profile || model), shrinkTo: 12 },
      {
        title: 'PROMPT',
        value: ({ usage }) => (usage === null ? '' : count(promptTokens(usage))),
        align: 'right',
      },
      { title: 'CACHED', value: cachedText, align: 'right' },
      {
        title: 'ANSWER',
        value: ({ usage }) => (usage === null ? '' : count(usage.outputTokens)),
        align: 'right',
      },
      {
        title: 'FULL',
        value: ({ context }) => (context === null ? '' : percent(context.share)),
        align: 'right',
      },
      { title: 'BYTE', value: ({ firstByteMs }) => timeText(firstByteMs), align: 'right' },
      { title: 'TEXT', value: ({ firstTextMs }) => timeText(firstTextMs), align: 'right' },
      { title: 'WHOLE', value: ({ durationMs }) => timeText(durationMs), align: 'right' },
      { title: 'REQUEST', value: ({ providerRequestId }) => oneLine(providerRequestId ?? ''), shrinkTo: 10 },
    ],
    width,
    colors,
  );
}

function cachedText({ usage }: ModelCallView): string {
  return usage === null || promptTokens(usage) === 0
    ? ''
    : percent(usage.cacheReadTokens / promptTokens(usage));
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function timeText(ms: number | null): string {
  return ms === null ? '' : duration(ms);
}
