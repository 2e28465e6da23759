/** Bugs in how a conversation is made shorter, and taken back. Worlds with small windows on a real Postgres must notice each. */
import type { Mutant } from './mutant.js';

const windows = (mutant: Omit<Mutant, 'judge'>): Mutant => ({ ...mutant, judge: 'windows' });

export const windowMutants: readonly Mutant[] = [
  windows({
    id: 'R1',
    title: 'a turn is cut between its calls and their results',
    file: 'libs/core/dist/context/effective-history.js',
    find: "if (message.role === 'assistant' && all[at - 1]?.role !== 'assistant')",
    replace: "if (message.role === 'user')",
  }),
  windows({
    id: 'R2',
    title: 'a summary that was of no use is paid for again and again',
    file: 'libs/core/dist/turn/condense.js',
    find: '!tries.some(({ errorClass }) => errorClass === REFUSED) &&',
    replace: '',
  }),
  windows({
    id: 'R3',
    title: 'a rewind leaves what made the conversation shorter',
    file: 'libs/store/dist/steps/rewind-task.sql',
    find: 'AND seq >= $2 AND dropped_at IS NULL RETURNING id, seq',
    replace: 'AND seq >= $2 AND dropped_at IS NULL AND reduction IS NULL RETURNING id, seq',
  }),
  windows({
    id: 'R4',
    title: 'a masked output cannot be read again by what stands in its place',
    file: 'libs/core/dist/context/effective-history.js',
    find: '{"callId": "${id}"}',
    replace: '{"callId": "${id.slice(1)}"}',
  }),
  windows({
    id: 'R5',
    title: 'the figure from before a summary still counts after it',
    file: 'libs/core/dist/turn/run-state.js',
    find: 'const isOlder = message.seq < (this.reductions.at(-1)?.seq ?? 0);',
    replace: 'const isOlder = false;',
  }),
  windows({
    id: 'R6',
    title: 'nothing answers a refusal as too long',
    file: 'libs/core/dist/turn/make-room.js',
    find: 'reduction.forcedBy === refusal?.id',
    replace: 'false && refusal',
  }),
  windows({
    id: 'R7',
    title: 'a summary takes the place of the task itself',
    file: 'libs/core/dist/context/plan-reduction.js',
    find: 'Math.min(first.fromSeq, ...head',
    replace: 'Math.min(1, ...head',
  }),
  windows({
    id: 'R8',
    title: 'old summaries stay beside the new one',
    file: 'libs/core/dist/context/effective-history.js',
    find: '.slice(at + 1)\n        .some(',
    replace: '.slice(replacing.length)\n        .some(',
  }),
  windows({
    id: 'R9',
    title: 'a summary is paid for and has no row',
    file: 'libs/core/dist/turn/condense.js',
    find: "const reduction = { kind: 'condense', fromSeq, toSeq, modelCallId: intent.id };",
    replace: "const reduction = { kind: 'condense', fromSeq, toSeq, modelCallId: null };",
  }),
];
