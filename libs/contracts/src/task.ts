/** Tasks as they cross boundaries: what is submitted, what is shown. */
import { z } from 'zod';
import { ContextItem } from './briefing.js';
import { AgentFile, AgentName, GivenAgentFile, Limits, RetryPolicy } from './agent.js';
import { Autonomy } from './autonomy.js';
import { ContextSize } from './context.js';
import { CheckpointId, TaskId } from './ids.js';
import { Json, JsonSchema } from './json.js';
import { ProfileName } from './model-profile.js';
import { ApprovalLevel, ApprovalSettings, AskPolicy, PolicyRules } from './policy.js';
import { Sandbox } from './sandbox.js';
import { RetryMode } from './retry-mode.js';
import { Tag } from './tag.js';
import { readableText } from './text.js';
import { Time } from './time.js';
import { TreeSummary } from './tree-summary.js';
import { UsageTotals } from './usage.js';
import { ModeAsks, ModeName, Workflow } from './work-mode.js';
import { TaskWorkspace, WorkspaceSpec } from './workspace.js';

/** Where a task stands. `waiting` says why in its wait reason. */
export const TaskState = z.enum([
  'queued',
  'running',
  'waiting',
  'paused',
  'completed',
  'failed',
  'cancelled',
]);
export type TaskState = z.infer<typeof TaskState>;

/** States that only an explicit retry leads out of. */
export const TERMINAL_STATES = ['completed', 'failed', 'cancelled'] as const satisfies readonly TaskState[];

export type TerminalState = (typeof TERMINAL_STATES)[number];

/** Whether a task of this state has ended; takes states as rows and documents have them. */
export function isTerminal(state: string): state is TerminalState {
  return (TERMINAL_STATES as readonly string[]).includes(state);
}

export const WaitReason = z.enum([
  'children',
  'approval',
  'answer',
  'message',
  'backoff',
  'budget',
  'provider',
]);
export type WaitReason = z.infer<typeof WaitReason>;

/** Why the work ended. Only `goal` is success; `partial` and `blocked` are what the agent itself said of its work. */
export const StopCause = z.enum([
  'goal',
  'partial',
  'blocked',
  'turn_limit',
  'time_limit',
  'token_limit',
  'cost_limit',
  'deadline',
  'cancelled',
  'refused',
  'mistakes',
  'loop',
  'invalid_output',
  'poison',
  'error',
]);
export type StopCause = z.infer<typeof StopCause>;

/** A failure as data: stable code, text for people, and what happened at the provider, if it came from there. */
export const TaskFailure = z
  .object({
    cause: StopCause,
    code: z.string(),
    message: z.string(),
    errorClass: z.string().nullable().optional(),
  })
  .meta({ id: 'TaskFailure' });
export type TaskFailure = z.infer<typeof TaskFailure>;

export const TodoItem = z.strictObject({
  text: z.string().min(1).max(1_000),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type TodoItem = z.infer<typeof TodoItem>;

/** Body of `POST /v1/tasks`. At least one of `prompt` and `input` is needed. */
export const CreateTask = z
  .strictObject({
    prompt: readableText(400_000).optional().describe('What the agent should do, in words.'),
    input: Json.optional().describe("Typed input; must fit the agent's input schema."),
    agent: AgentName.default('general'),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('A model by its name, which stands for the built-in profile of that model.'),
    profile: ProfileName.optional().describe('A model profile of this installation, instead of `model`.'),
    autonomy: Autonomy.optional(),
    approvalLevel: ApprovalLevel.optional().describe(
      'A preset for the approvals; individual ones override it.',
    ),
    approvals: ApprovalSettings.partial().optional(),
    rules: PolicyRules.optional().describe('Lists of commands, tools and files for this task.'),
    asks: AskPolicy.partial().optional().describe('What happens when a person has to be asked.'),
    workflow: Workflow.optional().describe(
      '`fsm`: the task is always in one of the work modes, which say what it does now. Without it: `free`.',
    ),
    modeAsks: ModeAsks.optional().describe(
      'What the work modes of an `fsm` task ask a person for, besides what the policy asks: nothing, changes of files, or everything that does something. Without it, each mode says so itself.',
    ),
    conversation: z
      .boolean()
      .optional()
      .describe('The task does not end with an answer but waits for the next message; `chat` always does.'),
    condense: z
      .boolean()
      .optional()
      .describe(
        'False: the conversation is never made shorter; when the model refuses it as too long, the user is asked.',
      ),
    limits: Limits.partial().optional(),
    outputSchema: JsonSchema.optional(),
    workspace: WorkspaceSpec.default({ kind: 'empty' }),
    priority: z
      .int()
      .min(-100)
      .max(100)
      .default(0)
      .describe('Head start in seconds over other queued tasks.'),
    runAt: Time.optional().describe('The task does not start before this time.'),
    deadlineAt: Time.optional().describe(
      'Ends the task at this time, whatever it is doing; time spent waiting or paused counts.',
    ),
    retry: RetryPolicy.partial().optional().describe('How model failures are handled.'),
    contextItems: z
      .array(ContextItem)
      .max(50)
      .default([])
      .describe('What the agent reads with the task; each is read when the task starts, and recorded.'),
    agentFiles: z
      .array(GivenAgentFile)
      .max(20)
      .default([])
      .describe(
        'Agents of the workspace, for `agent` and for subtasks; none may do more than whoever starts it, and those that are wrong are left out.',
      ),
    keepBodies: z
      .boolean()
      .default(false)
      .describe('Keep what its model calls and those of its subtasks send and get, masked, for some days.'),
    title: readableText(200).optional(),
    tags: z.array(Tag).max(20).default([]),
    metadata: z.record(z.string().max(64), z.string().max(1_000)).default({}),
  })
  .refine((body) => body.prompt !== undefined || body.input !== undefined, {
    path: ['prompt'],
    message: 'give a prompt, or an input for an agent that takes typed input',
  })
  .refine((body) => body.model === undefined || body.profile === undefined, {
    path: ['profile'],
    message: 'give either a model or a profile: a profile names its model',
  })
  .refine((body) => body.modeAsks === undefined || body.workflow === 'fsm', {
    path: ['modeAsks'],
    message: 'only a task with the workflow fsm has modes that ask',
  })
  .meta({ id: 'CreateTask' });
export type CreateTask = z.infer<typeof CreateTask>;
export type CreateTaskInput = z.input<typeof CreateTask>;

/** The task of another tenant or installation that an imported one is a copy of. */
const ImportedFrom = z
  .object({
    taskId: z.string().describe('Its id there.'),
    state: TaskState.describe('Its state when it was exported; the copy has ended in any case.'),
    exportedAt: z.iso.datetime(),
    importedAt: z.iso.datetime(),
  })
  .meta({ id: 'ImportedFrom' });

/** One task as the API shows it. */
export const TaskView = z
  .object({
    id: TaskId,
    parentId: TaskId.nullable(),
    rootId: TaskId,
    depth: z.int(),
    title: z.string(),
    agent: z.string(),
    agentFile: AgentFile.nullable()
      .default(null)
      .describe('The file of the workspace that the agent was read from, as it was then.'),
    model: z.string(),
    autonomy: Autonomy,
    workflow: Workflow.default('free'),
    mode: ModeName.nullable().default(null).describe('The work mode that it is in; null: a free task.'),
    modeAsks: ModeAsks.nullable()
      .default(null)
      .describe('What its work modes ask a person for; null: each mode says so itself.'),
    state: TaskState,
    waitReason: WaitReason.nullable(),
    attempt: z.int(),
    prompt: z.string(),
    input: Json.nullable(),
    output: Json.nullable(),
    partial: z
      .boolean()
      .describe('True when the output is what a task that did not reach its goal could save.'),
    failure: TaskFailure.nullable(),
    stopCause: StopCause.nullable(),
    limits: Limits,
    retry: RetryPolicy,
    approvals: ApprovalSettings,
    workspace: TaskWorkspace,
    workspacePath: z.string().nullable(),
    sandbox: Sandbox.nullable().describe(
      'What holds the programs that its agent starts, as its newest run found it; null if it starts none or has not run.',
    ),
    priority: z.int(),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.string()),
    todos: z.array(TodoItem),
    turns: z.int(),
    activeMs: z.int(),
    usage: UsageTotals,
    context: ContextSize.nullable().describe(
      'How full the window was with its newest model call; null before the first one.',
    ),
    cancelRequested: z.boolean(),
    pauseRequested: z
      .boolean()
      .describe('The task is running, and pauses at the end of its current model call or tool.'),
    workerId: z.string().nullable(),
    eventSeq: z.int().describe('Sequence number of the newest durable event: stream from here.'),
    createdAt: z.iso.datetime(),
    runAt: z.iso.datetime().nullable(),
    deadlineAt: z.iso.datetime().nullable(),
    dueAt: z.iso.datetime().nullable().describe('When a waiting task resumes automatically.'),
    retryOfId: TaskId.nullable().describe('The ended task that this one repeats.'),
    forkedFrom: z
      .object({
        taskId: z.string(),
        checkpointId: z.string().nullable().describe('Null: that task was imported, and has no files.'),
      })
      .nullable()
      .describe('The task and its checkpoint that this one began from.'),
    importedFrom: ImportedFrom.nullable()
      .default(null)
      .describe('Where an imported task comes from: nothing of it was done here.'),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
    updatedAt: z.iso.datetime(),
    archivedAt: z.iso.datetime().nullable(),
    tree: TreeSummary.optional().describe('Only in lists that were asked for it.'),
  })
  .meta({ id: 'Task' });
export type TaskView = z.infer<typeof TaskView>;

/** The tree of a root as a flat list in depth-first order; `path` holds the ids from the root down. */
export const TaskTree = z
  .object({ rootId: TaskId, tasks: z.array(TaskView.extend({ path: z.array(TaskId) })) })
  .meta({ id: 'TaskTree' });
export type TaskTree = z.infer<typeof TaskTree>;

/** Body of `PATCH /v1/tasks/{id}`: what may change until a task has ended. */
export const UpdateTask = z
  .strictObject({
    title: readableText(200).optional(),
    priority: z.int().min(-100).max(100).optional(),
    tags: z.array(Tag).max(20).optional(),
    metadata: z.record(z.string().max(64), z.string().max(1_000)).optional(),
    deadlineAt: Time.nullable().optional(),
    profile: ProfileName.optional().describe(
      'A model profile, or the name of a model: the next request goes to it. It replaces the fallbacks as well.',
    ),
  })
  .meta({ id: 'UpdateTask' });
export type UpdateTask = z.infer<typeof UpdateTask>;

/** Body of `POST /v1/tasks/{id}/retry`. */
export const RetryTask = z
  .strictObject({
    mode: RetryMode.default('resume').describe(
      '`resume` goes on from where the task stopped; `new` makes a new task with the same definition, which reuses nothing.',
    ),
    message: readableText(100_000).optional().describe('An additional message to the agent.'),
    limits: Limits.partial().optional().describe('Limits that should differ from those of the last attempt.'),
    fromCheckpoint: CheckpointId.optional().describe(
      'Makes a new task that goes on from this checkpoint of the ended one, with its files and the conversation up to it.',
    ),
  })
  .meta({ id: 'RetryTask' });
export type RetryTask = z.infer<typeof RetryTask>;
export type RetryTaskInput = z.input<typeof RetryTask>;

export const AttemptView = z
  .object({
    number: z.int(),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
    outcome: z.string().nullable(),
    failure: TaskFailure.nullable(),
  })
  .meta({ id: 'Attempt' });
export type AttemptView = z.infer<typeof AttemptView>;
