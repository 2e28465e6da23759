/**
 * Port: the durable store of tasks, as the executor needs it. All writes of a running task go through one verb, `commit`: a
 * step is applied whole, in one transaction, only while the lease's epoch is the task's newest. Implemented by Postgres and,
 * for fast loop tests and crash sweeps, in memory; both pass the same contract suite.
 */
import type {
  Autonomy,
  Briefing,
  DurableEventBody,
  ModelRoute,
  StopCause,
  TaskFailure,
  TaskState,
  TodoItem,
  TokenUsage,
} from '@bullpen/contracts';
import type { NewCheckpoint } from '../task/checkpoint.js';
import type { SetupEnd } from './workspace.js';
import type { ModelPrice } from '../task/prices.js';
import type { ModeContext, Transition } from '../task/mode-context.js';
import type { PolicyLayers } from '../task/policy-layers.js';
import type {
  ChildOutcome,
  InteractionRecord,
  Lease,
  ModelCallRecord,
  NewChild,
  NewInteraction,
  Phase,
  StoredMessage,
  TaskOutcome,
  TaskRecord,
  TaskSnapshot,
  ToolCallRecord,
  WaitSpec,
} from '../task/task.js';

/** Usage of one model call, priced at the time of the call. `costNanoUsd` null: the model has no known price. */
export interface UsageWrite {
  readonly modelCallId: string;
  readonly model: string;
  readonly usage: TokenUsage;
  readonly price: ModelPrice | null;
  readonly costNanoUsd: bigint | null;
  /** Tokens or terms were not known: the cost is what it probably was. */
  readonly estimated: boolean;
  readonly simulated: boolean;
}

/** Changes of the task row. Counters are absolute: the lease's holder is the only writer. */
export interface TaskPatch {
  readonly phase?: Phase;
  readonly pendingCause?: StopCause | null;
  readonly turns?: number;
  readonly repairs?: number;
  readonly mistakes?: number;
  readonly activeMs?: number;
  readonly todos?: readonly TodoItem[];
  readonly workspacePath?: string;
  /** The agent has been told what its files are since the workspace was made anew. */
  readonly workspaceEpoch?: number;
  /** What the agent is told about the place, as it was found. */
  readonly briefing?: Briefing;
  /** What holds the programs that the task starts, where its run works. */
  readonly sandbox?: string;
  /** Only ever cleared here, together with a rollback; it is set by whoever interrupts. */
  readonly interrupted?: false;
  /** What the previous run had started has been reported. */
  readonly leftBy?: null;
  /** Set when the agent itself switches. */
  readonly autonomy?: Autonomy;
  /** Counts only while the stored one is the one before it: a person may have switched meanwhile. */
  readonly route?: ModelRoute;
  readonly modeContext?: ModeContext;
}

/** How a step leaves the task. Without it the task stays running under the same lease. */
export type StepEnd =
  | { readonly kind: 'suspend'; readonly waitId: string; readonly wait: WaitSpec }
  /** The attempt failed; the next one begins when the wait is over. */
  | {
      readonly kind: 'retry';
      readonly waitId: string;
      readonly wait: WaitSpec;
      readonly failure: TaskFailure;
    }
  | { readonly kind: 'finish'; readonly outcome: TaskOutcome }
  | { readonly kind: 'yield' }
  | { readonly kind: 'pause' };

/** One durable step: everything in it happens, or nothing. */
export interface Step {
  readonly messages: readonly StoredMessage[];
  readonly events: readonly DurableEventBody[];
  /** Written by id: a second write of the same id replaces the first. */
  readonly modelCalls: readonly ModelCallRecord[];
  /** Written by id, too. A write with status `calling` is an intent: it is stored as `generated` when a cancel or a pause was requested. */
  readonly toolCalls: readonly ToolCallRecord[];
  readonly usage: readonly UsageWrite[];
  readonly children: readonly NewChild[];
  readonly patch: TaskPatch;
  /** States of the workspace; their objects are stored already. */
  readonly checkpoints: readonly NewCheckpoint[];
  /** Ends of setup commands. */
  readonly setups: readonly SetupEnd[];
  /** What a person is asked from now on. */
  readonly interactions: readonly NewInteraction[];
  /** Interactions that no longer need an answer; those that have one keep it. */
  readonly withdrawn: readonly string[];
  /** Inbox messages that this step delivered into the history; taken before under the same lease. */
  readonly consumedInbox: readonly string[];
  /** Stored messages from this `seq` on are no longer part of the conversation. The run must load its state anew. */
  readonly dropFrom: number | null;
  /** A trigger that was fired. Nothing of the step is stored when its number is not the next one: somebody else has fired one meanwhile. */
  readonly transition: Transition | null;
  /** Money that the model call in this step may cost at most; the root's account must have room for it. */
  readonly reserveNanoUsd: bigint;
  /** Reservation given back, because `usage` settles its call or the call did not happen. */
  readonly releaseNanoUsd: bigint;
  readonly end: StepEnd | null;
}

/** What the row says after a commit, so that the loop knows it without another query. */
export interface RowNews {
  readonly cancelRequested: boolean;
  readonly pauseRequested: boolean;
  readonly interrupted: boolean;
  readonly rollback: boolean;
  /** Null: as the definition says. */
  readonly autonomy: Autonomy | null;
  readonly route: ModelRoute | null;
  /** How many transitions there are: more than the run knows when a person has fired a trigger. */
  readonly modeSeq: number;
  readonly inboxPending: number;
  readonly eventSeq: number;
}

export type CommitResult =
  | ({ readonly kind: 'committed' } & RowNews)
  /**
   * A suspend whose wait is already satisfied, or whose task has been interrupted: the rest of the step is stored, the task goes on
   * running.
   */
  | ({ readonly kind: 'not_suspended' } & RowNews)
  /** A finish with cause `goal` while undelivered messages wait: nothing of the step is stored. */
  | { readonly kind: 'inbox_pending' }
  /** Another trigger was fired before the one of this step: nothing of it is stored. */
  | { readonly kind: 'mode_moved' }
  /** The reservation does not fit into the root's account: nothing of the step is stored. */
  | {
      readonly kind: 'over_budget';
      readonly limitNanoUsd: bigint;
      readonly spentNanoUsd: bigint;
      readonly reservedNanoUsd: bigint;
    }
  /** Another worker holds the task, or it is no longer running: nothing is stored, stop at once. */
  | { readonly kind: 'fenced' };

/** How a task can have ended. */
export type TaskEnd = TaskOutcome['state'];

export interface InboxMessage {
  readonly id: string;
  readonly text: string;
  /**
   * `notice`: the harness reports something that a person did. A state: these are the user's own words to a task that had ended so, and goes on
   * with them. @defaultValue `user`: the user's own words
   */
  readonly source?: 'user' | 'notice' | TaskEnd;
}

/** What a task has in hand, as its rows know it: what must not be lost when its conversation is summed up. */
export interface WorkInHand {
  /** The user's own words that are part of the present conversation, oldest first; a message that brought several has one of them. */
  readonly requests: readonly { readonly messageId: string; readonly text: string }[];
  /** Its subtasks, ended ones too: their results can still be read. Oldest first. */
  readonly children: readonly { readonly id: string; readonly title: string; readonly state: TaskState }[];
  /** Those that run, oldest first. */
  readonly processes: readonly { readonly id: string; readonly command: string }[];
}

export interface TaskStore {
  /** Takes the lease of a task that is queued with this wake number. Null when there is nothing to take: end quietly. */
  claim(taskId: string, wake: number, workerId: string): Promise<Lease | null>;
  /** The state to go on from. Null when the lease is lost. Throws `history_corrupt` when a row cannot be read. */
  load(lease: Lease): Promise<TaskSnapshot | null>;
  /**
   * Applies a step. Throws when the database cannot be reached: then whether it was stored is unknown, and the run must stop. What
   * it refuses because of its content is not stored.
   */
  commit(lease: Lease, step: Step): Promise<CommitResult>;
  /**
   * Takes the undelivered messages of the task, oldest first, to be delivered with the next step. From this moment on nobody can change
   * or withdraw them, for as long as the lease lasts: what is delivered is what stands in the inbox. Empty when the lease is lost.
   */
  takeInbox(lease: Lease): Promise<readonly InboxMessage[]>;
  /** What `TaskSnapshot.interactions` would hold now. */
  interactions(taskId: string): Promise<readonly InteractionRecord[]>;
  /** The layers of the approval policy around a task, as they are now. */
  layers(task: Pick<TaskRecord, 'tenantId' | 'workspace' | 'rootId'>): Promise<PolicyLayers>;
  /** Outcomes of those ids that are children of the task, in the order of `ids`. */
  children(taskId: string, ids: readonly string[]): Promise<readonly ChildOutcome[]>;
  /** The history of a task's work modes, oldest first. */
  transitions(taskId: string): Promise<readonly Transition[]>;
  workInHand(taskId: string): Promise<WorkInHand>;
  /** The whole output of a call of this task, by its id or by the one that the model gave it. */
  storedOutput(taskId: string, callId: string): Promise<string | null>;
  /** Whether the same call may succeed later, after an error that is no `AppError`. @defaultValue true for all */
  mayPass?(error: unknown): boolean;
  /**
   * Whether an error says that the store cannot be reached, whoever met it: others keep rows there, too, such as the one that says where a workspace is.
   * @defaultValue no error does
   */
  isAway?(error: unknown): boolean;
}
