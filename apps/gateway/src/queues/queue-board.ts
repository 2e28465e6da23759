/** bull-board: the raw jobs, for those who know BullMQ. Read only, and behind the guard like every route. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { FastifyAdapter } from '@bull-board/fastify';
import { AppError, type ErrorCode } from '@bullpen/contracts';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_TYPE } from '../http/problem.filter.js';
import { problemOf } from '../http/problem.js';

const PATH = '/admin/queues';

/** Serves the board. It shows the jobs of all tenants, so it takes the scope `admin`. */
export async function serveQueueBoard(fastify: FastifyInstance, queue: Queue, bodyLimit: number): Promise<void> {
  const board = new FastifyAdapter();
  board.setBasePath(PATH);
  createBullBoard({
    queues: [new BullMQAdapter(queue, { readOnlyMode: true })],
    serverAdapter: board,
    options: { uiConfig: { boardTitle: 'Bullpen', hideRedisDetails: true } },
  });
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, scope: 'admin' };
    });
    // The board has error answers of its own, some with the text of what went wrong inside.
    scope.addHook('onSend', async (request, reply, payload) => {
      if (reply.statusCode < 400) return payload;
      void reply.type(PROBLEM_TYPE);
      const error = new AppError(codeOf(reply.statusCode), 'The queue dashboard cannot do that; it is read only.');
      return JSON.stringify(problemOf(error, { traceId: request.id, path: request.url, bodyLimit }));
    });
    await scope.register(board.registerPlugin(), { prefix: PATH });
  });
}

function codeOf(status: number): ErrorCode {
  if (status === 404) return 'not_found';
  if (status === 405) return 'method_not_allowed';
  return status < 500 ? 'invalid_request' : 'queue_unreachable';
}
