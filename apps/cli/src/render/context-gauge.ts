/** How full the window of a task is, in words on one line. Pure. */
import type { ContextSize } from '@bullpen/contracts';
import { count } from './format.js';

/** `12.3k of 16k tokens`, and that it is estimated where the provider has not said so itself. */
function contextText({ tokens, budget, isEstimate }: ContextSize): string {
  return `${isEstimate ? 'about ' : ''}${count(tokens)} of ${count(budget)} tokens`;
}

/** That the window fills up. */
export function warningText({
  percent,
  context,
}: {
  readonly percent: number;
  readonly context: ContextSize;
}): string {
  return `The context is ${percent} % full: ${contextText(context)}`;
}

/** The same with its parts, and from where on the conversation is made smaller. */
export function contextDetails(size: ContextSize): string {
  const { share, system, tools, messages, threshold } = size;
  const parts = `system prompt ${count(system)}, tools ${count(tools)}, messages ${count(messages)}`;
  return `${Math.round(share * 100)} % full, ${contextText(size)}: ${parts} · condensed from ${count(threshold)} on`;
}
