/** A task as the API shows it, from its row and what other tables know about it. */
import {
  AgentDefinition,
  Autonomy,
  DEFAULT_RETRY,
  Limits,
  RetryPolicy,
  StopCause,
  TaskFailure,
  TodoItem,
  TaskWorkspace,
  WorkMachine,
  type ContextSize,
  type Json,
  type TaskView,
} from '@bullpen/contracts';
import { IDLE } from '@bullpen/core';
import { z } from 'zod';
import { columnOf } from '../database/json-column.js';
import { Prisma, type Task } from '../generated/client.js';
import type { NewRootTask } from '../tasks/commands.js';
import { ImportedTask } from '../tasks/import.js';
import { NO_USAGE, usageTotalsOf, type UsageSums } from './usage-sums.js';

/** What views show of a row. The rest is for workers, and what an agent is told, or its modes look at, can be long. */
const SHOWN = {
  ...{ id: true, parentId: true, rootId: true, depth: true, title: true, agent: true, model: true },
  ...{ definition: true, autonomy: true, mode: true, prompt: true, input: true, workspace: true },
  ...{ priority: true, tags: true, metadata: true, retryOfId: true, forkedTaskId: true, imported: true },
  ...{ state: true, waitReason: true, waitId: true, attempt: true, workerId: true, workspacePath: true },
  ...{ sandbox: true, todos: true, turns: true, activeMs: true, eventSeq: true, output: true },
  ...{ partial: true, stopCause: true, failure: true, cancelRequestedAt: true, pauseRequestedAt: true },
  ...{ createdAt: true, runAt: true, deadlineAt: true, startedAt: true, endedAt: true, updatedAt: true },
  archivedAt: true,
} as const satisfies Prisma.TaskSelect;
/** A row as a view needs it. */
export type ShownTask = Pick<Task, keyof typeof SHOWN>;
const columnNamed = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Its columns. Read like this and not as Prisma's objects, a page of 200 leaves a third less behind to be collected. */
export const SHOWN_COLUMNS = Prisma.raw(
  Object.keys(SHOWN)
    .map((name) => `${columnNamed(name)} as "${name}"`)
    .join(', '),
);

/** What the view needs of the stored definition; later versions may hold more. */
const ShownDefinition = z
  .object({
    autonomy: Autonomy,
    limits: Limits,
    approvals: AgentDefinition.shape.approvals,
    retry: RetryPolicy.default(DEFAULT_RETRY),
    machine: WorkMachine.pick({ asks: true }).strip().optional(),
    file: AgentDefinition.shape.file,
  })
  .transform(({ file, ...shown }) => ({ ...shown, agentFile: file }));
const Metadata = z.record(z.string(), z.string());
const Todos = z.array(TodoItem);
const Failure = TaskFailure.nullable();

/** A task that was just created, from what was stored: the same as reading its row, without reading it. */
export function newTaskView(task: NewRootTask, createdAt: Date): TaskView {
  const { machine, ...definition } = ShownDefinition.parse(task.definition);
  const at = createdAt.toISOString();
  return {
    id: task.id,
    parentId: null,
    rootId: task.id,
    depth: 0,
    title: task.title,
    agent: task.definition.name,
    model: task.definition.model,
    ...definition,
    ...workOf(machine, IDLE),
    state: 'queued',
    waitReason: null,
    attempt: 1,
    prompt: task.prompt,
    input: task.input,
    output: null,
    partial: false,
    failure: null,
    stopCause: null,
    workspace: task.workspace,
    workspacePath: null,
    sandbox: null,
    priority: task.priority,
    tags: [...task.tags],
    metadata: { ...task.metadata },
    todos: [],
    turns: 0,
    activeMs: 0,
    usage: usageTotalsOf(NO_USAGE),
    context: null,
    cancelRequested: false,
    pauseRequested: false,
    workerId: null,
    eventSeq: 2,
    createdAt: at,
    runAt: task.runAt?.toISOString() ?? null,
    deadlineAt: task.deadlineAt?.toISOString() ?? null,
    dueAt: null,
    retryOfId: task.retryOfId ?? null,
    forkedFrom: null,
    importedFrom: null,
    startedAt: null,
    endedAt: null,
    updatedAt: at,
    archivedAt: null,
  };
}

/** A row as the API shows it. Throws `row_unreadable`. */
export function taskViewOf(
  row: ShownTask,
  usage: UsageSums,
  { context, dueAt }: { context: ContextSize | null; dueAt: Date | null },
): TaskView {
  const column = <T>(schema: z.ZodType<T>, name: keyof ShownTask) =>
    columnOf(schema, row[name], { table: 'tasks', id: row.id, column: name });
  const { machine, ...definition } = column(ShownDefinition, 'definition');
  const workspace = column(TaskWorkspace, 'workspace');
  const own: TaskView = {
    id: row.id,
    parentId: row.parentId,
    rootId: row.rootId,
    depth: row.depth,
    title: row.title,
    agent: row.agent,
    model: row.model,
    ...definition,
    autonomy: Autonomy.parse(row.autonomy ?? definition.autonomy),
    ...workOf(machine, row.mode),
    state: row.state,
    waitReason: row.waitReason,
    attempt: row.attempt,
    prompt: row.prompt,
    input: row.input as Json,
    output: row.output as Json,
    partial: row.partial,
    failure: column(Failure, 'failure'),
    stopCause: StopCause.nullable().parse(row.stopCause),
    workspace,
    workspacePath: row.workspacePath,
    sandbox: row.sandbox,
    priority: row.priority,
    tags: row.tags,
    metadata: column(Metadata, 'metadata'),
    todos: column(Todos, 'todos'),
    turns: row.turns,
    activeMs: Number(row.activeMs),
    usage: usageTotalsOf(usage),
    context,
    cancelRequested: row.cancelRequestedAt !== null,
    pauseRequested: row.pauseRequestedAt !== null && row.state === 'running',
    workerId: row.workerId,
    eventSeq: row.eventSeq,
    createdAt: row.createdAt.toISOString(),
    runAt: row.runAt?.toISOString() ?? null,
    deadlineAt: row.deadlineAt?.toISOString() ?? null,
    dueAt: dueAt?.toISOString() ?? null,
    retryOfId: row.retryOfId,
    forkedFrom: forkedFrom(row.forkedTaskId, workspace),
    importedFrom: null,
    startedAt: row.startedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    updatedAt: row.updatedAt.toISOString(),
    archivedAt: row.archivedAt?.toISOString() ?? null,
  };
  const imported = column(ImportedTask.nullable(), 'imported');
  return imported === null ? own : importedView(own, imported);
}

/** How it works: free, or in which mode. */
function workOf(
  machine: Pick<WorkMachine, 'asks'> | undefined,
  mode: string | null,
): Pick<TaskView, 'workflow' | 'mode' | 'modeAsks'> {
  if (machine === undefined) return { workflow: 'free', mode: null, modeAsks: null };
  return { workflow: 'fsm', mode, modeAsks: machine.asks };
}

function forkedFrom(taskId: string | null, workspace: TaskWorkspace): TaskView['forkedFrom'] {
  if (taskId === null) return null;
  return { taskId, checkpointId: workspace.kind === 'fork' ? workspace.checkpointId : null };
}

/** What it was where it ran, under its name here. Whatever would be under way is over. */
function importedView(own: TaskView, { from, exportedAt, importedAt, view }: ImportedTask): TaskView {
  const { id, parentId, rootId, depth, title, prompt, input, output, tags, metadata, archivedAt } = own;
  return {
    ...view,
    ...{ id, parentId, rootId, depth, title, prompt, input, output, tags, metadata, archivedAt },
    ...{ state: own.state, stopCause: own.stopCause, eventSeq: own.eventSeq, updatedAt: own.updatedAt },
    ...{ waitReason: null, dueAt: null, cancelRequested: false, pauseRequested: false },
    ...{ workerId: null, workspacePath: null, endedAt: view.endedAt ?? exportedAt },
    importedFrom: { taskId: from, state: view.state, exportedAt, importedAt },
  };
}

/** The task as it was exported, so that its export here is that document again; what may be changed here is as it is now. */
export function exportedView(shown: TaskView, stored: unknown): TaskView {
  const imported = columnOf(ImportedTask, stored, { table: 'tasks', id: shown.id, column: 'imported' });
  const { title, prompt, input, output, tags, metadata, archivedAt, importedFrom } = shown;
  const now = { title, prompt, input, output, tags, metadata, archivedAt, importedFrom };
  return { ...imported.view, ...now };
}
