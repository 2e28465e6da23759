/** An interaction that waits for an answer; a test says what matters of it. */
import { ROOT } from '@bullpen/testing';
import type { InteractionView, Json } from '@bullpen/contracts';

export const ASK_ID = `ask_${'0'.repeat(20)}abc123`;

export function anInteraction(
  kind: InteractionView['kind'],
  payload: object,
  fields: Partial<InteractionView> = {},
): InteractionView {
  return {
    id: ASK_ID,
    kind,
    state: 'pending',
    title: 'run_command: npm test',
    taskId: ROOT,
    rootId: ROOT,
    taskTitle: 'Explain the build',
    agent: 'general',
    callId: 'call_1',
    payload: payload as Record<string, Json>,
    hash: 'h1',
    answer: null,
    answeredBy: null,
    answeredAt: null,
    expiresAt: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    ...fields,
  };
}
