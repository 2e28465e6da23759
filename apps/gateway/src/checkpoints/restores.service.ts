/** Asks for restores. A worker carries them out; it hears of one over the bus, and finds it in its row if it misses that. */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type NextAction, type RestoreTask, type RestoreView } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { Announcer, type EventBus } from '@bullpen/queue';
import { keyName, Restores, type Principal, type Prisma, type RestoreRequestResult } from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { EVENT_BUS, POOL, PRISMA, type Pool } from '../http/tokens.js';

/** An answer waits so long for a worker, and looks so often. */
const PATIENCE_MS = 20_000;
const LOOK_MS = 100;

type Busy = Extract<RestoreRequestResult, { kind: 'busy' }>;

/** Asks for a restore and waits some seconds for its end. */
@Injectable()
export class RestoresService {
  readonly #restores: Restores;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    announcer: Announcer,
  ) {
    const onCommitted = announcer.committed.bind(announcer);
    this.#restores = new Restores({ pool, newId, onCommitted });
  }

  async restore(principal: Principal, taskId: string, body: RestoreTask): Promise<RestoreView> {
    const { tenantId, keyId } = principal;
    const id = newId('restore');
    const by = await keyName(this.prisma, keyId);
    const result = await this.#restores.request(tenantId, taskId, { ...body, id, by });
    switch (result.kind) {
      case 'not_found':
        throw notFound('task', taskId);
      case 'unknown_checkpoint':
        throw notFound('checkpoint', body.checkpointId, taskId);
      case 'busy':
        throw busy(taskId, result);
      case 'refused':
        throw new AppError('not_rewindable', result.reason, {
          nextActions: [{ action: 'checkpoint.list', taskId }],
        });
      case 'accepted':
        if (result.restore.state !== 'pending') return result.restore;
        this.bus.publish({ kind: 'restore', tenantId, restoreId: id });
        return this.#ended(principal, id);
    }
  }

  async get({ tenantId }: Principal, id: string): Promise<RestoreView> {
    const restore = await this.#restores.find(tenantId, id);
    if (restore === null) throw notFound('restore', id);
    return restore;
  }

  async #ended(principal: Principal, id: string): Promise<RestoreView> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const restore = await this.get(principal, id);
      if (restore.state !== 'pending' || performance.now() > until) return restore;
      await sleep(LOOK_MS);
    }
  }
}

const BUSY: Readonly<Record<Busy['why'], string>> = {
  run: 'is at work in these files',
  conversation: 'is at work',
  process: 'has a process that runs in these files',
  restore: 'has a restore that is not done yet',
};

function busy(taskId: string, result: Busy): AppError {
  const id = 'id' in result && result.why === 'run' ? result.id : taskId;
  return new AppError('task_busy', `Task ${id} ${BUSY[result.why]}, so nothing was restored.`, {
    nextActions: wayOut(id, result),
  });
}

function wayOut(taskId: string, result: Busy): readonly NextAction[] {
  switch (result.why) {
    case 'run':
    case 'conversation':
      return [
        { action: 'task.pause', taskId },
        { action: 'task.watch', taskId },
      ];
    case 'process':
      return [
        { action: 'process.kill', processId: result.id },
        { action: 'process.show', processId: result.id },
      ];
    case 'restore':
      return [{ action: 'request.repeat' }];
  }
}
