/** Trying tasks again, and what there is to try again. */
import { FailureList, FailuresQuery, RetryTask, TaskView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { TaskIdPipe } from '../http/id-pipes.js';
import { isAnew, RetriesService } from './retries.service.js';

/** Both may come without a body. */
const RetryBody = RetryTask.prefault({});

@ApiTags('tasks')
@Controller('v1')
export class RetriesController {
  constructor(private readonly retries: RetriesService) {}

  @Post('tasks/:id/retry')
  @ApiRoute({
    summary: 'Retry a task',
    description:
      'Mode `resume`: a failed root gets another attempt that goes on from where it stopped; its history and its costs stay. ' +
      'Mode `new`: a task that has ended in any way is started over as a new root with its own workspace; the answer is 201. ' +
      'With `fromCheckpoint` the new task goes on from there, with the files and the conversation as they were.',
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'not_retryable', 'invalid_workspace'],
  })
  @ApiCreatedResponse({
    description: 'The new task (mode `new`, or from a checkpoint)',
    standardSchema: TaskView,
  } as Parameters<typeof ApiCreatedResponse>[0])
  async retryTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: RetryBody }) body: RetryTask,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TaskView> {
    const task = await this.retries.retry(principal, id, body, request.idempotency);
    if (isAnew(body)) void reply.code(201).header('location', `/v1/tasks/${task.id}`);
    return task;
  }

  @Get('failures')
  @ApiRoute({
    summary: 'Failed tasks, grouped by how they failed',
    description: 'Includes subtasks. In the messages, ids, paths and numbers are replaced by placeholders.',
    answer: FailureList,
  })
  listFailures(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: FailuresQuery }) query: FailuresQuery,
  ): Promise<FailureList> {
    return this.retries.failures(principal, query);
  }
}
