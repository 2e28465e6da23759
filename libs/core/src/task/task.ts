/** A task as the executor sees it: plain values, loaded from the store and moved forward by steps. */
import {
  isTerminal,
  type AgentDefinition,
  type ApprovalDecision,
  type Autonomy,
  type Briefing,
  type ContentBlock,
  type ContextItem,
  type ContextSize,
  type Diffstat,
  type InteractionAnswer,
  type InteractionKind,
  type Json,
  type Media,
  type MessageRole,
  type ModelRoute,
  type Reduction,
  type StopCause,
  type TaskFailure,
  type TaskState,
  type TodoItem,
  type TokenUsage,
  type WaitReason,
  type TaskWorkspace,
} from '@bullpen/contracts';
import type { ModeContext, Transition } from './mode-context.js';
import type { PolicyLayers } from './policy-layers.js';

/** The right to advance one task. Every write carries it; a higher epoch in the row makes it worthless. */
export interface Lease {
  readonly taskId: string;
  readonly epoch: number;
  readonly workerId: string;
}

/**
 * The executor's phase: working; asking for the final output (`extract`); in the one turn that a limit leaves (`grace`). Stored, so
 * that a crash does not forget it.
 */
export type Phase = 'work' | 'extract' | 'grace';

/** What a model call is for: a turn of the task in its phase, or a summary of its conversation. */
export type CallPhase = Phase | 'condense' | 'intent';

export interface TaskRecord {
  readonly id: string;
  readonly tenantId: string;
  readonly parentId: string | null;
  readonly rootId: string;
  readonly depth: number;
  readonly title: string;
  readonly definition: AgentDefinition;
  /** As it is now; the definition has the one that the task was submitted with. */
  readonly autonomy: Autonomy;
  /** The work mode that it is in, as its transitions say; null: it works without modes. */
  readonly mode: string | null;
  /** What the conditions of its modes look at, as it was stored last; null: nothing yet. */
  readonly modeContext: ModeContext | null;
  /** Which of its profiles answers; null: the first one, from the start. */
  readonly route: ModelRoute | null;
  readonly prompt: string;
  readonly input: Json | null;
  readonly workspace: TaskWorkspace;
  /** What its agent gets to read with the task, as it was submitted. */
  readonly contextItems: readonly ContextItem[];
  /** What the agent is told about the place that it works in; null before it starts. */
  readonly briefing: Briefing | null;
  readonly attempt: number;
  readonly phase: Phase;
  /** The limit that was reached, from the moment that the grace turn starts. */
  readonly pendingCause: StopCause | null;
  readonly turns: number;
  /** Rounds in which the output was sent back as invalid. */
  readonly repairs: number;
  readonly mistakes: number;
  readonly childCount: number;
  /** Working time of earlier leases, in ms; the running lease adds its own. */
  readonly activeMs: number;
  readonly usage: TokenUsage;
  readonly costNanoUsd: bigint;
  readonly todos: readonly TodoItem[];
  readonly inboxPending: number;
  readonly cancelRequested: boolean;
  /** The run should stop at its next step boundary. */
  readonly pauseRequested: boolean;
  /** What is running should be left: open calls are not run any more, and the next move starts fresh. */
  readonly interrupted: boolean;
  /** While interrupted: the current turn is not only left but dropped from the conversation. */
  readonly rollback: boolean;
  readonly deadlineAt: Date | null;
  /** Automatic attempts since a person last asked for one. */
  readonly retries: number;
  readonly workspacePath: string | null;
  /** The root whose workspace it works in, or the subtask that has one of its own. */
  readonly workspaceId: string;
  /** The copy of the workspace that its agent knows; null before the first. */
  readonly workspaceEpoch: number | null;
  /** What holds the programs that it starts, as its newest run found it; null: it starts none, or has not run. */
  readonly sandbox: string | null;
  /** The worker whose run broke off with the previous lease, until the current run has reported what it found started. */
  readonly leftBy: string | null;
  /** Leases in a row that ended without a stored step. */
  readonly crashes: number;
  readonly createdAt: Date;
}

/** One message of the API history. `content` is stored and sent verbatim. */
export interface StoredMessage {
  readonly id: string;
  readonly seq: number;
  readonly turn: number;
  readonly role: MessageRole;
  readonly content: readonly ContentBlock[];
  readonly stopReason: string | null;
  /**
   * What the provider said of an answer: tokens of its whole prompt and of itself, so of the conversation up to here. Missing where it
   * said nothing that can be true.
   */
  readonly contextTokens?: number | undefined;
  /** Set in a row that makes what was said before it shorter. */
  readonly reduction?: Reduction;
}

export type ToolCallStatus = 'generated' | 'calling' | 'done' | 'canceled' | 'errored';

/** One tool call of a turn. `toolUseId` is the provider's id, `id` is ours. */
export interface ToolCallRecord {
  readonly id: string;
  readonly messageId: string;
  readonly turn: number;
  readonly position: number;
  readonly toolUseId: string;
  readonly tool: string;
  readonly status: ToolCallStatus;
  readonly rawArguments: string;
  readonly arguments: Json | null;
  readonly approval: ApprovalDecision | null;
  /** What the model is sent; capped. */
  readonly output: string | null;
  /** The whole output, when `output` is only a part of it. */
  readonly fullOutput: string | null;
  /** Pictures and documents that belong to the output; null: none. */
  readonly media: readonly Media[] | null;
  readonly isError: boolean;
  readonly childTaskId: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  /** Set when this call completed the task (an accepted `complete_task`). */
  readonly completesTask: boolean;
  readonly startedEpoch: number | null;
  /** What held the program that it started; null: it started none. */
  readonly sandbox: string | null;
}

/** A model call that has no result yet, or whose failure still counts for the present turn. */
export interface ModelCallRecord {
  readonly id: string;
  readonly turn: number;
  /** Number of the try at this turn. */
  readonly attempt: number;
  /** The task's attempt that it belongs to. */
  readonly taskAttempt: number;
  readonly phase: CallPhase;
  /** The profile that its request was made from. */
  readonly profile: string;
  readonly model: string;
  readonly status: 'started' | 'done' | 'failed' | 'abandoned';
  readonly requestHash: string;
  readonly requestMessages: number;
  /** How full the window was with the request, and from its end on with the answer; null in rows from before this was kept. */
  readonly context: ContextSize | null;
  /** From the start to the first byte of the answer, and to the first piece of its content. */
  readonly firstByteMs: number | null;
  readonly firstTextMs: number | null;
  readonly reservedNanoUsd: bigint;
  readonly providerRequestId: string | null;
  readonly stopReason: string | null;
  readonly errorClass: string | null;
  readonly errorMessage: string | null;
  readonly retryDelayMs: number | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

/** Everything that the loop needs to continue from the last committed step. */
export interface TaskSnapshot {
  readonly task: TaskRecord;
  /** The whole effective history in order; where the conversation was rewound, its numbers have gaps. */
  readonly messages: readonly StoredMessage[];
  /** The number of the newest stored message, dropped ones counted. */
  readonly messageSeq: number;
  /** The calls of the newest of these assistant messages. */
  readonly toolCalls: readonly ToolCallRecord[];
  /** Model calls of the present turn that are not done, oldest first. */
  readonly modelCalls: readonly ModelCallRecord[];
  /** How full the window was with the newest model call; null before the first. */
  readonly context: ContextSize | null;
  /** Interactions of those calls and of the present turn, withdrawn ones left out, oldest first. */
  readonly interactions: readonly InteractionRecord[];
  /** What installation, project and the task's tree say about approvals. */
  readonly layers: PolicyLayers;
  /** The history of its work modes, oldest first. */
  readonly transitions: readonly Transition[];
}

/** What a person is asked. `hash` identifies it exactly: a later call that differs in anything cannot use the answer. */
export interface NewInteraction {
  readonly id: string;
  readonly kind: InteractionKind;
  /** The call that it is about; null for what concerns the whole task. */
  readonly callId: string | null;
  readonly hash: string;
  readonly title: string;
  /** The turn that it belongs to; with the next one it is over. */
  readonly turn: number;
  readonly payload: Readonly<Record<string, Json>>;
  /** Null: it stays open until somebody answers. */
  readonly expiresInMs: number | null;
  /** What counts as the answer when nobody gave one in time. */
  readonly expiryAnswer: InteractionAnswer | null;
}

export interface InteractionRecord extends Omit<
  NewInteraction,
  'expiresInMs' | 'expiryAnswer' | 'title' | 'turn'
> {
  readonly answer: InteractionAnswer | null;
  /** Null while it is open; `expiry` when nobody answered in time. */
  readonly answeredBy: string | null;
}

/** A subtask to create. Limits and settings are already bounded by the parent's. */
export interface ChildSpec {
  readonly title: string;
  readonly prompt: string;
  readonly input: Json | null;
  readonly definition: AgentDefinition;
}

/** Where a subtask works: in its parent's workspace, or in one of its own that begins as the parent's is at the moment. */
export type ChildWorkspace = 'shared' | 'isolated';

/** A child as the store creates it; exactly once per `callId` of the parent. */
export interface NewChild extends ChildSpec {
  readonly id: string;
  readonly callId: string;
  /** The checkpoint that a workspace of its own begins from; without one it works where its parent does. */
  readonly base?: string | undefined;
}

export type WaitMode = 'all' | 'any' | 'first_success';

/** What a task waits for. `dueInMs` ends the wait by time; a wait for children may have it too. */
export interface WaitSpec {
  readonly reason: WaitReason;
  readonly mode: WaitMode;
  readonly childIds: readonly string[];
  readonly dueInMs: number | null;
  /** For reason `provider`: the key that has to be fixed; the wait ends when it is. */
  readonly providerKey?: string;
  /** Interactions; an answer to any of them ends the wait. */
  readonly interactionIds?: readonly string[];
}

/** The envelope in which a child's end reaches its parent. */
export interface ChildOutcome {
  readonly taskId: string;
  readonly title: string;
  readonly state: TaskState;
  readonly cause: StopCause | null;
  readonly failure: TaskFailure | null;
  readonly output: Json | null;
  readonly partial: boolean;
  readonly usage: TokenUsage;
  readonly costNanoUsd: bigint;
  /** What is different in a workspace of its own since that began, as far as it is stored; null without one. */
  readonly changes: Diffstat | null;
  /** Something in a workspace of its own was changed that could not be stored. */
  readonly unsaved: boolean;
}

/** How a task ended. Only `goal` completes it; everything else is a failure or a cancel with what could be saved. */
export interface TaskOutcome {
  readonly state: 'completed' | 'failed' | 'cancelled';
  readonly cause: StopCause;
  readonly output: Json | null;
  readonly partial: boolean;
  readonly failure: TaskFailure | null;
}

/** Whether a wait for these children is over. */
export function isSatisfied(mode: WaitMode, children: readonly Pick<ChildOutcome, 'state'>[]): boolean {
  const ended = children.filter(({ state }) => isTerminal(state));
  if (mode === 'any') return ended.length > 0;
  return (
    ended.length === children.length ||
    (mode === 'first_success' && ended.some(({ state }) => state === 'completed'))
  );
}
