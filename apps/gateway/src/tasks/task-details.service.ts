/** What happened in a task. Each answer first makes sure that the task is the tenant's: foreign ids are unknown ids. */
import type {
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
import {
  getBriefing,
  getTaskHead,
  getTaskUsage,
  getTimeline,
  getModelCallBodies,
  getToolOutput,
  listApiHistory,
  listAttempts,
  listInbox,
  listModelCalls,
  listToolCalls,
  type Principal,
  type Prisma,
  type TaskRef,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { PRISMA } from '../http/tokens.js';
import { found } from './tasks.service.js';

@Injectable()
export class TaskDetailsService {
  constructor(@Inject(PRISMA) private readonly prisma: Prisma) {}

  async attempts(principal: Principal, taskId: string): Promise<AttemptList> {
    return { data: await listAttempts(this.prisma, await this.#own(principal, taskId)) };
  }

  async briefing(principal: Principal, taskId: string): Promise<TaskBriefing> {
    return getBriefing(this.prisma, await this.#own(principal, taskId));
  }

  async toolCalls(principal: Principal, taskId: string, query: PageQuery): Promise<ToolCallPage> {
    return listToolCalls(this.prisma, await this.#own(principal, taskId), query);
  }

  async toolOutput(principal: Principal, taskId: string, callId: string): Promise<ToolOutput> {
    const output = await getToolOutput(this.prisma, await this.#own(principal, taskId), callId);
    if (output === null) throw notFound('output of a tool call', callId, taskId);
    return output;
  }

  async modelCalls(principal: Principal, taskId: string, query: PageQuery): Promise<ModelCallPage> {
    return listModelCalls(this.prisma, await this.#own(principal, taskId), query);
  }

  async modelCallBodies(principal: Principal, taskId: string, callId: string): Promise<ModelCallBodies> {
    const bodies = await getModelCallBodies(this.prisma, await this.#own(principal, taskId), callId);
    if (bodies === null) throw notFound('body of a model call', callId, taskId);
    return bodies;
  }

  async messages(principal: Principal, taskId: string, query: PageQuery): Promise<InboxMessagePage> {
    return listInbox(this.prisma, await this.#own(principal, taskId), query);
  }

  async apiHistory(principal: Principal, taskId: string, query: PageQuery): Promise<ApiMessagePage> {
    return listApiHistory(this.prisma, await this.#own(principal, taskId), query);
  }

  async usage({ tenantId }: Principal, taskId: string): Promise<TaskUsageView> {
    return found(await getTaskUsage(this.prisma, tenantId, taskId), taskId);
  }

  async timeline({ tenantId }: Principal, taskId: string): Promise<Timeline> {
    return found(await getTimeline(this.prisma, tenantId, taskId), taskId);
  }

  async #own({ tenantId }: Principal, taskId: string): Promise<TaskRef> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    return { tenantId, taskId };
  }
}
