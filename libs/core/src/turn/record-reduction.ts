/** The row with which a conversation becomes shorter, and the event that says so. */
import type { ContextSize, DurableEventBody, Reduction } from '@bullpen/contracts';
import { tokensOf } from '../context/plan-reduction.js';
import type { RecordFacts } from '../conversation/summary.js';
import type { WorkInHand } from '../ports/store.js';
import type { Run } from './run.js';
import type { Recording } from './draft.js';
import type { RunState } from './run-state.js';

export interface Sizes {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Records it; what is sent is shorter from now on. `tell` makes the event. */
export function recordReduction(
  { state, deps }: Run,
  reduction: Reduction,
  text: string,
  size: Pick<ContextSize, 'tokens' | 'messages'>,
  tell: (messageId: string, sizes: Sizes) => DurableEventBody,
  pieces: Recording = {},
): void {
  const id = deps.newId('msg');
  const before = tokensOf(state.effective);
  const content = [{ type: 'text' as const, text }];
  const row = { id, seq: state.nextSeq(), turn: state.task.turns, role: 'user' as const, content };
  state.record({ ...pieces, messages: [{ ...row, stopReason: null, reduction }] });
  const saved = ((before - tokensOf(state.effective)) * size.messages) / Math.max(1, before);
  const sizes = { tokensBefore: size.tokens, tokensAfter: Math.round(size.tokens - saved) };
  state.record({ events: [tell(id, sizes)] });
}

/** What the rows know that a record of the conversation has to say. */
export function factsOf(state: RunState, work: WorkInHand): RecordFacts {
  return { task: state.task, work, said: state.messages, unanswered: state.unanswered() };
}
