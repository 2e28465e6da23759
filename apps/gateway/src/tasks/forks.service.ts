/** New tasks that go on from a checkpoint of another one, beside it. */
import {
  AppError,
  CreateTask,
  type AgentDefinition,
  type ForkCheckpoint,
  type ForkTask,
  type TaskView,
  type WorkspaceSpec,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import {
  getTask,
  newestCheckpointOf,
  type IdempotencyClaim,
  type PolicyLayerStore,
  type Principal,
  type Prisma,
  type TaskCommands,
} from '@bullpen/store';
import { projectKeyOf } from '@bullpen/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { POLICY_LAYERS, POOL, PRISMA, TASK_COMMANDS, type Pool } from '../http/tokens.js';
import { AgentCatalogue } from './agent-catalogue.js';
import { forkOf, keyedAnswer, type Fork } from './new-task.js';
import { invalidRequest } from '../http/problem.js';
import { found, TasksService } from './tasks.service.js';

@Injectable()
export class ForksService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    @Inject(POLICY_LAYERS) private readonly policies: PolicyLayerStore,
    private readonly agents: AgentCatalogue,
    private readonly tasks: TasksService,
  ) {}

  /** Goes on from a task: from its newest checkpoint, or from the conversation of an imported one. Throws `not_forkable`, and as `fork` does. */
  async forkTask(
    principal: Principal,
    taskId: string,
    { workspace, ...body }: ForkTask,
    idempotency?: IdempotencyClaim,
  ): Promise<TaskView> {
    const source = await this.tasks.get(principal, taskId);
    if (source.importedFrom !== null) {
      const { message, ...changes } = body;
      const from = { historyOf: source.id, message: message ?? null };
      const task = taskLike(source, changes, workspace ?? { kind: 'empty' });
      return this.tasks.create(principal, task, idempotency, from);
    }
    if (workspace !== undefined)
      throw invalidRequest(
        [{ pointer: '/workspace', detail: 'is only for imported tasks: this one has its own files' }],
        'The body',
      );
    const checkpoint = await newestCheckpointOf(this.pool, principal.tenantId, taskId);
    if (checkpoint === null)
      throw new AppError('not_forkable', `Task ${taskId} has no checkpoint: it has changed no file yet.`, {
        nextActions: [{ action: 'task.retry', taskId, mode: 'new' }],
      });
    return this.fork(principal, checkpoint, body, idempotency);
  }

  /** Stores a new task that has the files of a checkpoint and the conversation up to it. Throws `not_found`, and what is wrong with agent or model. */
  async fork(
    principal: Principal,
    checkpointId: string,
    body: ForkCheckpoint,
    idempotency?: IdempotencyClaim,
  ): Promise<TaskView> {
    const { tenantId } = principal;
    const fork = await forkOf(this.pool, tenantId, checkpointId);
    const { taskId, workspace } = fork;
    const source = found(await getTask(this.prisma, tenantId, taskId), taskId);
    const id = newId('task');
    const { title, prompt, input, priority, tags, metadata } = source;
    const task = {
      ...{ id, tenantId, prompt, input, workspace, priority, tags, metadata },
      title: body.title ?? title,
      definition: await this.#definition(tenantId, fork, source, body),
      runAt: null,
      message: body.message ?? null,
    };
    await this.commands.create(task, keyedAnswer(idempotency, id));
    return found(await getTask(this.prisma, tenantId, id), id);
  }

  /** As the task had it, or as another agent has it, with what is to differ. */
  async #definition(
    tenantId: string,
    { definition, workspace }: Fork,
    { prompt, input }: TaskView,
    { agent, model, limits }: ForkCheckpoint,
  ): Promise<AgentDefinition> {
    if (agent === undefined) return this.agents.changed(definition, { model, limits });
    const layers = await this.policies.around(tenantId, await projectKeyOf(workspace.origin), null);
    const body = CreateTask.parse({ prompt, ...(input !== null && { input }), agent, model, limits });
    return this.agents.resolve(body, layers).definition;
  }
}

/** What somebody would submit to have the like of a task done here, as the agent of that name is here. */
function taskLike(
  { title, prompt, input, agent, priority, tags, metadata }: TaskView,
  changes: Omit<ForkCheckpoint, 'message'>,
  workspace: WorkspaceSpec,
): CreateTask {
  return {
    ...{
      title,
      agent,
      priority,
      tags,
      metadata,
      workspace,
      contextItems: [],
      agentFiles: [],
      keepBodies: false,
    },
    ...(prompt !== '' && { prompt }),
    ...(input !== null && { input }),
    ...changes,
  };
}
