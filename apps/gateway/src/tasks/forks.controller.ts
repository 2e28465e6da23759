import { ForkCheckpoint, ForkTask, TaskView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { CheckpointIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { ForksService } from './forks.service.js';

@ApiTags('checkpoints')
@Controller('v1')
export class ForksController {
  constructor(private readonly forks: ForksService) {}

  @Post('tasks/:id/fork')
  @ApiRoute({
    summary: 'Go on from a task in a new one',
    description:
      'From its newest checkpoint, with the files and the conversation up to it. The fork of an imported task has the whole conversation, and no files but those of `workspace`; its agent is told so.',
    status: 201,
    answer: TaskView,
    idempotent: true,
    problems: [
      'not_found',
      'not_forkable',
      'unknown_agent',
      'unknown_tool',
      'invalid_input',
      'invalid_workspace',
    ],
  })
  async forkTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: ForkTask.prefault({}) }) body: ForkTask,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TaskView> {
    const task = await this.forks.forkTask(principal, id, body, request.idempotency);
    void reply.header('location', `/v1/tasks/${task.id}`);
    return task;
  }

  @Post('checkpoints/:id/fork')
  @ApiRoute({
    summary: 'Go on from a checkpoint in a new task',
    description:
      'The new task has the files of the checkpoint and the conversation up to it; costs and limits count from zero. The other task is not changed. ' +
      'To begin with the files alone, submit a task with the workspace `fork`.',
    status: 201,
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'unknown_agent', 'unknown_tool', 'invalid_input'],
  })
  async forkCheckpoint(
    @CurrentPrincipal() principal: Principal,
    @Param('id', CheckpointIdPipe) id: string,
    @Body({ schema: ForkCheckpoint.prefault({}) }) body: ForkCheckpoint,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TaskView> {
    const task = await this.forks.fork(principal, id, body, request.idempotency);
    void reply.header('location', `/v1/tasks/${task.id}`);
    return task;
  }
}
