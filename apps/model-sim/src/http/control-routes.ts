/** `/sim/…`: the switches and the log of the simulator, which the real API does not have. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { invalidRequest } from '../api-error.js';
import { QueuedFault } from '../faults/fault.js';
import type { FaultPlan } from '../faults/fault-plan.js';
import type { RequestLog } from '../request-log.js';
import { readControlBody } from './read-request.js';

const FaultsBody = z.object({ next: z.array(QueuedFault) });

/** Routes under `/sim` for tests: the requests so far, and the faults that the next ones meet. */
export function addControlRoutes(app: FastifyInstance, faults: FaultPlan, log: RequestLog): void {
  app.get('/sim/requests', () => ({ requests: log.list() }));
  app.get('/sim/faults', () => ({ next: faults.pending() }));
  app.post('/sim/faults', (request) => {
    const parsed = FaultsBody.safeParse(readControlBody(request));
    if (!parsed.success) {
      throw invalidRequest(
        parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`).join('; '),
      );
    }
    faults.add(parsed.data.next);
    return { next: faults.pending() };
  });
  app.delete('/sim/faults', () => {
    faults.clear();
    return { next: [] };
  });
}
