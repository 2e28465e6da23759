/**
 * A running task in memory: the snapshot that was loaded, moved forward by each recorded piece of a step, and the draft of the
 * step that is not committed yet. The rule that makes crashes harmless: everything recorded is committed before the next
 * effect (a model call, a tool, a sleep) begins, so result n and intent n+1 always share one transaction.
 */
import { addTokens, AppError, type ContextSize, type ModelRoute } from '@bullpen/contracts';
import { effectiveHistory, isReduction, type ReductionRow } from '../context/effective-history.js';
import type { ContextAnchor } from '../context/size.js';
import { profileOf } from '../task/profile-of.js';
import { HistoryProof, withoutLastThoughts, withoutThinking, type RequestMessage } from '../task/history.js';
import { modeAfter } from '../decide/modes/fire.js';
import { caughtUp } from '../decide/modes/fold.js';
import { EMPTY_CONTEXT, type ModeContext, type Transition } from '../task/mode-context.js';
import type { PolicyLayers } from '../task/policy-layers.js';
import {
  copyOf,
  definedOnly,
  emptyStep,
  hasContent,
  joined,
  merge,
  upsert,
  type Recording,
} from './draft.js';
import type { CommitResult, InboxMessage, Step, StepEnd, TaskStore } from '../ports/store.js';
import type {
  InteractionRecord,
  Lease,
  ModelCallRecord,
  StoredMessage,
  TaskRecord,
  TaskSnapshot,
  ToolCallRecord,
} from '../task/task.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
/** How old what the last commit said of the task may be when something starts without a commit of its own, in ms. */
const HEARD_FRESH_MS = 1_000;
/** How old the layers of the policy may be when a call is decided, in ms. */
const LAYERS_FRESH_MS = 5_000;

export class RunState {
  readonly lease: Lease;
  readonly task: Mutable<TaskRecord>;
  /** All that was said, whatever of it is still sent. */
  readonly messages: StoredMessage[] = [];
  /** What makes it shorter, oldest first. */
  readonly reductions: ReductionRow[] = [];
  /** Ids of all calls so far. No new one may repeat one of them: what is left out of requests may come back. */
  readonly toolUseIds = new Set<string>();
  toolCalls: ToolCallRecord[];
  modelCalls: ModelCallRecord[];
  /** Interactions of the newest answer's calls and of the present turn. */
  interactions: InteractionRecord[];
  /** As the row has it; the task's own one may be ahead, while a fallback has not answered yet. */
  storedRoute: ModelRoute | null;
  /** The history of its work modes. */
  transitions: readonly Transition[];
  /** What people say about approvals around this task. */
  layers: PolicyLayers;
  private layersAt: number;
  /** Characters of the history as JSON, kept up as it grows: reservations need the size, and re-measuring it would cost more each turn. */
  historyChars = 0;
  /** The effective history, message by message the same as a request holds it, and the proof that it may be sent; also kept up. */
  effective: StoredMessage[] = [];
  requestMessages: RequestMessage[] = [];
  proof = new HistoryProof();
  /** The newest figure of the provider for these messages. */
  anchor: ContextAnchor | null = null;
  /** How full the window was when it was last measured. */
  context: ContextSize | null;
  private messageSeq: number;
  private heardAt: number;
  private draft = emptyStep();
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    lease: Lease,
    snapshot: TaskSnapshot,
    private readonly store: TaskStore,
    private readonly activeMsNow: () => number,
  ) {
    this.lease = lease;
    this.task = { ...snapshot.task };
    this.messageSeq = snapshot.messageSeq;
    this.toolCalls = [...snapshot.toolCalls];
    this.modelCalls = [...snapshot.modelCalls];
    this.context = snapshot.context;
    this.interactions = [...snapshot.interactions];
    this.storedRoute = snapshot.task.route;
    this.transitions = snapshot.transitions;
    this.layers = snapshot.layers;
    this.layersAt = this.heardAt = activeMsNow();
    for (const row of snapshot.messages) this.keep(row);
    this.retake();
  }

  /** The provider does not take back what was thought so far: from now on requests leave it out. The record keeps it. */
  leaveOutThinking(): void {
    const bare = ({ role, content }: RequestMessage) => ({ role, content: withoutThinking(content) });
    this.requestMessages = this.requestMessages.map(bare);
  }

  /** The next request goes to this one. Nothing is stored before it has answered. */
  follow(route: ModelRoute | null): void {
    const { model } = profileOf(this.task);
    this.task.route = route;
    if (profileOf(this.task).model === model) return;
    // Other models do not use what this one thought, but charge for it; and they count otherwise.
    this.leaveOutThinking();
    this.anchor = null;
  }

  /** Adds to the draft and moves the state forward. Nothing is stored before the next `commit`. */
  record(pieces: Recording): void {
    merge(this.draft, pieces);
    this.advance(pieces);
  }

  /**
   * Stores the draft, and with it the pieces given. When the store refuses them (no budget, undelivered messages) the draft
   * stays, the pieces are dropped, and the caller decides anew. Commits run one after the other.
   * @throws AppError `lease_lost` when another worker holds the task: stop at once.
   */
  async commit(pieces: Recording = {}, end: StepEnd | null = null): Promise<CommitResult> {
    const run = this.queue.then(() => this.commitNow(pieces, end));
    this.queue = run.catch(() => undefined); // The caller of this commit sees the error; the next one must still run.
    return run;
  }

  /** Stores the draft if there is anything in it. */
  async flush(): Promise<void> {
    await this.queue;
    if (hasContent(this.draft)) await this.commit();
  }

  /** Stores the draft, and learns what others want of the task, unless both were done just now. */
  async catchUp(): Promise<void> {
    await this.flush();
    if (this.activeMsNow() - this.heardAt > HEARD_FRESH_MS) await this.commit();
  }

  /** Takes the undelivered messages of the task: the next step has to deliver them. */
  async takeInbox(): Promise<readonly InboxMessage[]> {
    return this.store.takeInbox(this.lease);
  }

  /** The number of the next message. Dropped messages keep theirs, so it is not the length of the history. */
  nextSeq(): number {
    return this.messageSeq + 1;
  }

  /** Interactions that still wait for an answer. */
  unanswered(): readonly InteractionRecord[] {
    return this.interactions.filter(({ answer }) => answer === null);
  }

  /** Looks at the answers again: some may have come since. */
  async refreshInteractions(): Promise<void> {
    this.interactions = [...(await this.store.interactions(this.task.id))];
  }

  /**
   * Looks at the layers of the policy again when the last look is a while ago: what somebody forbids meanwhile counts for a running
   * task.
   */
  async refreshLayers(): Promise<void> {
    if (this.activeMsNow() - this.layersAt < LAYERS_FRESH_MS) return;
    this.layersAt = this.activeMsNow();
    this.layers = await this.store.layers(this.task);
  }

  /** What the conditions of its modes look at, with all transitions counted in. */
  get modeContext(): ModeContext {
    return caughtUp(this.task.modeContext ?? EMPTY_CONTEXT, this.transitions);
  }

  /** Looks at the transitions again: somebody else has fired a trigger. */
  async refreshTransitions(): Promise<void> {
    this.transitions = await this.store.transitions(this.task.id);
    this.task.mode = modeAfter(this.transitions);
  }

  /** A person stopped or paused the task: nothing new starts. */
  mustStop(): boolean {
    return this.task.cancelRequested || this.task.pauseRequested;
  }

  private async commitNow(pieces: Recording, end: StepEnd | null): Promise<CommitResult> {
    const base = this.draft;
    const step = copyOf(base);
    merge(step, pieces);
    step.end = end;
    step.patch = { ...step.patch, activeMs: this.activeMsNow() };
    // Pieces recorded while this commit is running belong to the next one.
    this.draft = emptyStep();
    const result = await this.store.commit(this.lease, step);
    switch (result.kind) {
      case 'fenced':
        throw new AppError(
          'lease_lost',
          `The lease of ${this.task.id} (epoch ${this.lease.epoch}) is lost; stopping`,
        );
      case 'inbox_pending':
      case 'mode_moved':
      case 'over_budget':
        this.draft = joined(base, this.draft);
        if (result.kind === 'inbox_pending') this.task.inboxPending = Math.max(1, this.task.inboxPending);
        return result;
      case 'committed':
      case 'not_suspended':
        this.advance(pieces);
        this.heardAt = this.activeMsNow();
        this.task.cancelRequested = result.cancelRequested;
        this.task.pauseRequested = result.pauseRequested;
        this.task.interrupted = result.interrupted;
        this.task.rollback = result.rollback;
        this.learnRoute(result.route);
        this.task.autonomy = result.autonomy ?? this.task.definition.autonomy;
        if (this.mustStop()) this.takeBackIntents(step.toolCalls);
        this.task.inboxPending = result.inboxPending;
        if (result.modeSeq !== this.transitions.length) await this.refreshTransitions();
        return result;
    }
  }

  /** Somebody may have switched the profile while the step was made. */
  private learnRoute(route: ModelRoute | null): void {
    if ((route?.version ?? 0) === (this.storedRoute?.version ?? 0)) return;
    this.storedRoute = route;
    this.follow(route);
  }

  /** Once a cancel or a pause was requested, the store does not let calls start; neither does the state. */
  private takeBackIntents(calls: readonly ToolCallRecord[]): void {
    for (const call of calls.filter(({ status }) => status === 'calling')) {
      this.toolCalls = upsert(this.toolCalls, {
        ...call,
        status: 'generated',
        startedAt: null,
        startedEpoch: null,
      });
    }
  }

  /** Moves the state forward. */
  private advance(pieces: Recording): void {
    // Before the messages: an answer ends the turn that its model call belongs to.
    for (const call of pieces.modelCalls ?? []) {
      this.modelCalls = upsert(this.modelCalls, call);
      this.context = call.context ?? this.context;
    }
    this.modelCalls = this.modelCalls.filter(({ status }) => status !== 'done');
    for (const message of pieces.messages ?? []) this.addMessage(message);
    for (const call of pieces.toolCalls ?? []) this.toolCalls = upsert(this.toolCalls, call);
    for (const use of pieces.usage ?? []) this.addUsage(use);
    // With a new turn, what was asked in the old one is over.
    if ((pieces.patch?.turns ?? this.task.turns) !== this.task.turns) this.interactions = [];
    const withdrawn = pieces.withdrawn ?? [];
    const opened = (pieces.interactions ?? []).map(({ id, kind, callId, hash, payload }) => ({
      id,
      kind,
      callId,
      hash,
      payload,
      answer: null,
      answeredBy: null,
    }));
    this.interactions = [...this.interactions, ...opened].filter(({ id }) => !withdrawn.includes(id));
    if (pieces.transition) {
      this.transitions = [...this.transitions, pieces.transition];
      this.task.mode = pieces.transition.to ?? this.task.mode;
    }
    if (pieces.children) this.task.childCount += pieces.children.length;
    if (pieces.consumedInbox)
      this.task.inboxPending = Math.max(0, this.task.inboxPending - pieces.consumedInbox.length);
    Object.assign(this.task, definedOnly(pieces.patch ?? {}));
  }

  private addMessage(message: StoredMessage): void {
    this.messageSeq = message.seq;
    this.keep(message);
    if (isReduction(message)) this.retake();
    else this.take(message);
    if (message.role === 'assistant') {
      this.toolCalls = [];
      this.modelCalls = [];
    }
  }

  private keep(row: StoredMessage): void {
    if (isReduction(row)) this.reductions.push(row);
    else this.messages.push(row);
    for (const block of row.content) if (block.type === 'tool_use') this.toolUseIds.add(block.id);
  }

  /** What is sent is another history from now on. */
  private retake(): void {
    this.historyChars = 0;
    this.anchor = null;
    this.effective = [];
    this.requestMessages = [];
    this.proof = new HistoryProof();
    const rows = [...this.messages, ...this.reductions].sort((a, b) => a.seq - b.seq);
    for (const message of effectiveHistory(rows)) this.take(message);
    if (this.modelCalls.some(({ errorClass }) => errorClass === 'thinking')) this.leaveOutThinking();
  }

  private take(message: StoredMessage): void {
    const isOfAnother = message.seq < (this.storedRoute?.since ?? 0);
    const content = (isOfAnother ? withoutThinking : withoutLastThoughts)(message.content);
    const sendable = { role: message.role, content };
    if (sendable.content.length === 0) return;
    this.effective.push(message);
    this.historyChars += sizeOf(message);
    this.requestMessages.push(sendable);
    this.proof.add(sendable);
    const { contextTokens } = message;
    // A figure from before the newest reduction is one of another history.
    const isOlder = message.seq < (this.reductions.at(-1)?.seq ?? 0);
    if (contextTokens !== undefined && !isOfAnother && !isOlder)
      this.anchor = { tokens: contextTokens, messages: this.requestMessages.length };
  }

  private addUsage(use: Step['usage'][number]): void {
    this.task.usage = addTokens(this.task.usage, use.usage);
    this.task.costNanoUsd += use.costNanoUsd ?? 0n;
  }
}

function sizeOf(message: StoredMessage): number {
  return JSON.stringify(message.content).length;
}
