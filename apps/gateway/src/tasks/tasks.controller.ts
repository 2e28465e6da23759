/** Tasks: submit, look, steer. */
import {
  CancelTask,
  CreateTask,
  InterruptTask,
  ListTasks,
  PauseTask,
  ResumeTask,
  SwitchAutonomy,
  TaskPage,
  TaskTree,
  TaskView,
  UpdateTask,
} from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { TaskIdPipe } from '../http/id-pipes.js';
import { TasksService } from './tasks.service.js';

/** Most of these come without a body. */
const CancelBody = CancelTask.prefault({});
const PauseBody = PauseTask.prefault({});
const ResumeBody = ResumeTask.prefault({});

@ApiTags('tasks')
@Controller('v1/tasks')
export class TasksController {
  constructor(private readonly tasks: TasksService) {}

  @Post()
  @ApiRoute({
    summary: 'Submit a task',
    description: 'Once this answers 201 the task cannot be lost, whichever process dies.',
    status: 201,
    answer: TaskView,
    idempotent: true,
    problems: ['unknown_agent', 'unknown_tool', 'invalid_input', 'invalid_workspace', 'not_found'],
  })
  async createTask(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: CreateTask }) body: CreateTask,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<TaskView> {
    const task = await this.tasks.create(principal, body, request.idempotency);
    void reply.header('location', `/v1/tasks/${task.id}`);
    return task;
  }

  @Get()
  @ApiRoute({ summary: 'List tasks, newest first', answer: TaskPage })
  listTasks(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: ListTasks }) query: ListTasks,
  ): Promise<TaskPage> {
    return this.tasks.list(principal, query);
  }

  @Get(':id')
  @ApiRoute({ summary: 'One task', answer: TaskView, problems: ['not_found'] })
  getTask(@CurrentPrincipal() principal: Principal, @Param('id', TaskIdPipe) id: string): Promise<TaskView> {
    return this.tasks.get(principal, id);
  }

  @Get(':id/tree')
  @ApiRoute({
    summary: 'The whole tree that a task belongs to',
    description: 'Flat, depth first, siblings in order of creation.',
    answer: TaskTree,
    problems: ['not_found'],
  })
  getTaskTree(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<TaskTree> {
    return this.tasks.tree(principal, id);
  }

  @Post(':id/cancel')
  @ApiRoute({
    summary: 'Cancel a task and everything below it',
    description:
      'After the answer no tool of the tree starts. A running task ends within seconds: watch its state.',
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'task_finished'],
  })
  cancelTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: CancelBody }) body: CancelTask,
  ): Promise<TaskView> {
    return this.tasks.cancel(principal, id, body);
  }

  @Patch(':id')
  @ApiRoute({
    summary: 'Change a task that has not ended',
    description: 'Title, priority, tags, metadata, deadline; what is left out stays as it is.',
    answer: TaskView,
    problems: ['not_found', 'task_finished'],
  })
  updateTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: UpdateTask }) body: UpdateTask,
  ): Promise<TaskView> {
    return this.tasks.update(principal, id, body);
  }

  @Post(':id/autonomy')
  @ApiRoute({
    summary: 'Switch the autonomy of a task',
    description:
      'Takes effect at its next decision, and its agent is told. Open requests for an approval or an answer are decided again.',
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'task_finished'],
  })
  switchAutonomy(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: SwitchAutonomy }) body: SwitchAutonomy,
  ): Promise<TaskView> {
    return this.tasks.switchAutonomy(principal, id, body);
  }

  @Post(':id/pause')
  @ApiRoute({
    summary: 'Pause a task and everything below it',
    description:
      'Tasks that are not running are paused at once. Running ones finish their current model call or tool first; with `now` it is cut off.',
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'task_finished'],
  })
  pauseTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: PauseBody }) body: PauseTask,
  ): Promise<TaskView> {
    return this.tasks.pause(principal, id, body);
  }

  @Post(':id/resume')
  @ApiRoute({
    summary: 'Resume a paused task and everything below it',
    description: 'Tasks that were waiting for something wait again, unless it has happened meanwhile.',
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'task_finished'],
  })
  resumeTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: ResumeBody }) _body: ResumeTask,
  ): Promise<TaskView> {
    return this.tasks.resume(principal, id);
  }

  @Post(':id/interrupt')
  @ApiRoute({
    summary: 'Interrupt a task',
    description:
      'Cuts off the current model call or tool. With a message, the task goes on with that at once. Without one, it is paused, with everything below it; a conversation only stops its answer, keeps nothing of it, and waits for the next message.',
    answer: TaskView,
    idempotent: true,
    problems: ['not_found', 'task_finished'],
  })
  interruptTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: InterruptTask.prefault({}) }) body: InterruptTask,
  ): Promise<TaskView> {
    return this.tasks.interrupt(principal, id, body);
  }
}
