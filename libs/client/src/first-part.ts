/** Tasks, what waits for people, and the live events: the part that every screen needs. */
import { AgentList, Readiness, SystemInfo } from '@bullpen/contracts';
import type { FirstPart } from './bullpen-client.js';
import { streamEvents } from './event-stream.js';
import { InteractionsClient } from './interactions.js';
import { TasksClient } from './tasks.js';
import type { Transport } from './transport.js';

/** Tasks, what waits for people, and the live events. */
export function firstPartOf(transport: Transport): FirstPart {
  return {
    tasks: new TasksClient(transport),
    interactions: new InteractionsClient(transport),
    agents: {
      list: async (call = {}) =>
        (await transport.call({ method: 'GET', path: '/v1/agents', answer: AgentList, ...call })).data,
    },
    system: {
      info: (call = {}) => transport.call({ method: 'GET', path: '/v1/system', answer: SystemInfo, ...call }),
      ready: (call = {}) =>
        transport.call({ method: 'GET', path: '/readyz', answer: Readiness, alsoAnswers: 503, ...call }),
    },
    events: {
      stream: (stream = {}) => streamEvents(transport, { path: '/v1/stream', of: 'tenant' }, stream),
    },
  };
}
