/** What happened in a task: attempts, calls, histories, usage. */
import {
  ApiMessagePage,
  AttemptList,
  InboxMessagePage,
  ModelCallBodies,
  ModelCallPage,
  PageQuery,
  TaskBriefing,
  TaskUsageView,
  Timeline,
  ToolCallPage,
  ToolOutput,
} from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, NeedsScope } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { CallIdPipe, ModelCallIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { TaskDetailsService } from './task-details.service.js';

@ApiTags('tasks')
@Controller('v1/tasks/:id')
export class TaskDetailsController {
  constructor(private readonly details: TaskDetailsService) {}

  @Get('attempts')
  @ApiRoute({ summary: 'Attempts of a task, oldest first', answer: AttemptList, problems: ['not_found'] })
  listAttempts(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<AttemptList> {
    return this.details.attempts(principal, id);
  }

  @Get('briefing')
  @ApiRoute({
    summary: 'What the agent of a task was told about the place that it works in',
    description:
      'The environment, the rules of the project (AGENTS.md, CLAUDE.md; those of deeper folders join when the agent comes there) and the context items, as they were read when the task started.',
    answer: TaskBriefing,
    problems: ['not_found'],
  })
  getBriefing(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<TaskBriefing> {
    return this.details.briefing(principal, id);
  }

  @Get('tool-calls')
  @ApiRoute({ summary: 'Tool calls of a task, in order', answer: ToolCallPage, problems: ['not_found'] })
  listToolCalls(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<ToolCallPage> {
    return this.details.toolCalls(principal, id, query);
  }

  @Get('tool-calls/:callId/output')
  @ApiRoute({
    summary: 'The whole output of a tool call',
    description: 'Including the part that was too long for the model.',
    answer: ToolOutput,
    problems: ['not_found'],
  })
  getToolOutput(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Param('callId', CallIdPipe) callId: string,
  ): Promise<ToolOutput> {
    return this.details.toolOutput(principal, id, callId);
  }

  @Get('model-calls')
  @ApiRoute({ summary: 'Model calls of a task, in order', answer: ModelCallPage, problems: ['not_found'] })
  listModelCalls(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<ModelCallPage> {
    return this.details.modelCalls(principal, id, query);
  }

  @Get('model-calls/:callId/bodies')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'What a model call sent and got',
    description:
      'As JSON in which secrets are masked, of tasks with `keepBodies`, for the days that the installation keeps them.',
    answer: ModelCallBodies,
    problems: ['not_found'],
  })
  getModelCallBodies(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Param('callId', ModelCallIdPipe) callId: string,
  ): Promise<ModelCallBodies> {
    return this.details.modelCallBodies(principal, id, callId);
  }

  @Get('messages')
  @ApiRoute({
    summary: 'Messages that were sent to a task',
    answer: InboxMessagePage,
    problems: ['not_found'],
  })
  listMessages(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<InboxMessagePage> {
    return this.details.messages(principal, id, query);
  }

  @Get('history/api')
  @ApiRoute({
    summary: 'The history as it is sent to the model',
    answer: ApiMessagePage,
    problems: ['not_found'],
  })
  getApiHistory(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<ApiMessagePage> {
    return this.details.apiHistory(principal, id, query);
  }

  @Get('usage')
  @ApiRoute({
    summary: 'Tokens and cost of a task and everything below it',
    answer: TaskUsageView,
    problems: ['not_found'],
  })
  getTaskUsage(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<TaskUsageView> {
    return this.details.usage(principal, id);
  }

  @Get('timeline')
  @ApiRoute({
    summary: 'When the tasks of the tree that a task belongs to were in which state',
    description: 'Each from its creation on, oldest first.',
    answer: Timeline,
    problems: ['not_found'],
  })
  getTimeline(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<Timeline> {
    return this.details.timeline(principal, id);
  }
}
