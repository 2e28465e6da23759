/** The work modes of one task: where it may go from here, and a trigger that somebody fires. */
import { AppError, type FireTrigger, type NextAction, type TransitionsView } from '@bullpen/contracts';
import {
  keyName,
  transitionsView,
  type Prisma,
  type FireResult,
  type Principal,
  type TaskCommands,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { POOL, PRISMA, TASK_COMMANDS, type Pool } from '../http/tokens.js';
import { finished, found, TasksService } from './tasks.service.js';

@Injectable()
export class TransitionsService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    private readonly tasks: TasksService,
  ) {}

  async view({ tenantId }: Principal, taskId: string): Promise<TransitionsView> {
    return found(await transitionsView(this.pool, tenantId, taskId), taskId);
  }

  /** Fires a trigger. A refusal is recorded, and answered with what would have worked. */
  async fire(
    principal: Principal,
    taskId: string,
    { trigger, reason, ifSeq }: FireTrigger,
  ): Promise<TransitionsView> {
    const result = await this.commands.fireTrigger(principal.tenantId, taskId, {
      trigger,
      reason: reason ?? null,
      by: await keyName(this.prisma, principal.keyId),
      ifSeq,
    });
    if (result === 'already_ended') throw finished(await this.tasks.get(principal, taskId), 'moved on');
    refuse(taskId, result);
    return this.view(principal, taskId);
  }
}

function refuse(taskId: string, result: Exclude<FireResult, 'already_ended'>): void {
  if (result === 'not_found') throw notFound('task', taskId);
  const look: NextAction = { action: 'transition.list', taskId };
  if (result === 'free')
    throw new AppError('transition_refused', `Task ${taskId} works without modes: its workflow is free.`, {
      nextActions: [{ action: 'task.create' }],
    });
  if (result === 'changed')
    throw new AppError('revision_conflict', `The modes of task ${taskId} have gone on since you looked.`, {
      nextActions: [look],
    });
  if (result.kind === 'moved') return;
  const { refusal, possible } = result.row;
  const ways = possible.length === 0 ? 'Nothing leads on from here.' : `Possible: ${possible.join(', ')}.`;
  throw new AppError('transition_refused', `${refusal ?? 'It was refused.'} ${ways}`, {
    nextActions: [
      ...possible.map((trigger): NextAction => ({ action: 'transition.fire', taskId, trigger })),
      look,
    ],
  });
}
