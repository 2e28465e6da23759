/** How a conversation became shorter, in words. */
import type { TaskEvent } from '@bullpen/contracts';
import { count, plural, usd } from './format.js';
import { oneLine } from './plain-text.js';

const TOLD = ['context.masked', 'context.condensed', 'context.truncated', 'context.summary_refused'] as const;
type Told = (typeof TOLD)[number];

export type ReductionEvent = Extract<TaskEvent, { type: Told }>;

export function isAboutReduction(event: TaskEvent): event is ReductionEvent {
  return TOLD.some((type) => type === event.type);
}

export function reductionText(event: ReductionEvent): string {
  switch (event.type) {
    case 'context.masked':
      return `${plural(event.data.outputs, 'older output')} left out of what the model is sent${sizes(event.data)}`;
    case 'context.condensed': {
      const { messages, costUsd } = event.data;
      const price = costUsd === null ? '' : ` for ${usd(costUsd)}`;
      return `${plural(messages, 'older message')} summed up${price}${sizes(event.data)}`;
    }
    case 'context.truncated':
      return `${plural(event.data.messages, 'older message')} left out of what the model is sent${sizes(event.data)}`;
    case 'context.summary_refused':
      return `a summary of the conversation was not used: ${oneLine(event.data.reason)}`;
  }
}

function sizes({
  tokensBefore,
  tokensAfter,
}: {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}): string {
  return ` (${count(tokensBefore)} → ${count(tokensAfter)} tokens)`;
}
