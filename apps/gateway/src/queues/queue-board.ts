/**
 * bull-board: the raw jobs, for those who know BullMQ. Behind the guard like every route, and read only but for one thing: a failed
 * job can be put back, which a worker takes as the wish to try its task again.
 */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { AppError, type ErrorCode } from '@bullpen/contracts';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import { PROBLEM_TYPE } from '../http/problem.filter.js';
import { problemOf } from '../http/problem.js';
import { BoardAdapter } from './board-adapter.js';

const PATH = '/admin/queues';

/** Serves the board. It shows the jobs of all tenants, so it takes the scope `admin`. */
export async function serveQueueBoard(
  fastify: FastifyInstance,
  queue: Queue,
  bodyLimit: number,
): Promise<void> {
  const board = new BoardAdapter(PATH, isRetry);
  createBullBoard({
    // In its own read-only mode the board would hide the retry buttons, too.
    queues: [new BullMQAdapter(queue, { allowRetries: true })],
    serverAdapter: board,
    options: {
      uiBasePath: dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')),
      uiConfig: { boardTitle: 'Bullpen', hideRedisDetails: true },
    },
  });
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, scope: 'admin', page: true };
    });
    // The board's own refusals are no problem documents.
    scope.addHook('onSend', async (request, reply, payload) => {
      const isOurs = String(reply.getHeader('content-type')).startsWith(PROBLEM_TYPE);
      if (reply.statusCode < 400 || isOurs) return payload;
      void reply.type(PROBLEM_TYPE).removeHeader('content-length');
      const errors = [{ pointer: '/path', detail: 'is no page or action of the queue dashboard' }];
      const error = new AppError(
        codeOf(reply.statusCode),
        'The queue dashboard has no such page or action.',
        {
          details: { errors },
        },
      );
      return JSON.stringify(problemOf(error, { traceId: request.id, path: request.url, bodyLimit }));
    });
    board.register(scope);
  });
}

/** Putting back one job, or all that failed. */
function isRetry(route: string, params: Readonly<Record<string, string>>): boolean {
  if (route === '/api/queues/:queueName/retry/:queueStatus') return params['queueStatus'] === 'failed';
  return route === '/api/queues/:queueName/:jobId/retry';
}

function codeOf(status: number): ErrorCode {
  if (status === 404) return 'not_found';
  if (status === 405) return 'method_not_allowed';
  return status < 500 ? 'invalid_request' : 'queue_unreachable';
}
