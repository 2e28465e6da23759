/** `POST /v1/messages/count_tokens`: what a message with this prompt is billed for its input, or nearly that. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { agentTurnOf, type AgentTurn } from '../agent-turn.js';
import { ApiError } from '../api-error.js';
import type { Fault } from '../faults/fault.js';
import { replyTo } from '../player.js';
import type { Scenario } from '../scenario.js';
import { validateCountTokensRequest } from '../validation/validate-request.js';
import type { MessagesDeps } from './messages-route.js';
import { readApiBody } from './read-request.js';
import { contextOf } from './request-context.js';

/** Serves one request. The real API calls its counts estimates: the fault `count_tokens_drift` makes them differ. */
export function serveCount(
  request: FastifyRequest,
  reply: FastifyReply,
  { count, faults, scenarios }: Pick<MessagesDeps, 'count' | 'faults' | 'scenarios'>,
): FastifyReply {
  const counted = validateCountTokensRequest(readApiBody(request));
  const turn = agentTurnOf(counted);
  const fault = faults.take(turn, scriptedFault(turn, scenarios), true);
  const share = fault?.kind === 'count_tokens_drift' ? fault.share : 0;
  contextOf(request).record({
    status: 200,
    outcome: 'completed',
    model: counted.model,
    fault: fault?.kind ?? null,
  });
  return reply.send({ input_tokens: Math.round(count.request(counted) * (1 + share)) });
}

function scriptedFault(turn: AgentTurn, scenarios: readonly Scenario[]): Fault | undefined {
  try {
    return replyTo(turn, scenarios).fault;
  } catch (error) {
    if (error instanceof ApiError) return undefined; // A script with nothing to say to this has no fault for it either.
    throw error;
  }
}
