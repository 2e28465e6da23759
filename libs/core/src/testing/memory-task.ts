/** A task as the memory store holds it. */
import { NO_TOKENS, type Diffstat, type DurableEventBody, type TaskState } from '@bullpen/contracts';
import { firstMessage } from '../conversation/prompts.js';
import { IDLE } from '../decide/modes/machine.js';
import type { PolicyLayers } from '../task/policy-layers.js';
import type { Transition } from '../task/mode-context.js';
import type { ExchangeStart, RewindableHistory } from '../decide/rewind.js';
import type { InboxMessage, UsageWrite, WorkInHand } from '../ports/store.js';
import type { NewCheckpoint } from '../task/checkpoint.js';
import type {
  ChildOutcome,
  InteractionRecord,
  ModelCallRecord,
  NewChild,
  NewInteraction,
  StoredMessage,
  TaskOutcome,
  TaskRecord,
  TaskSnapshot,
  ToolCallRecord,
  WaitSpec,
} from '../task/task.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface MemoryInteraction extends InteractionRecord {
  readonly turn: number;
  readonly expiryAnswer: NewInteraction['expiryAnswer'];
  readonly withdrawn: boolean;
}

export interface MemoryInboxMessage {
  message: InboxMessage;
  delivered: boolean;
  withdrawn: boolean;
  takenEpoch: number | null;
}

/** A task as the memory store holds it; tests read it directly. */
export interface MemoryTask {
  record: Mutable<TaskRecord>;
  state: TaskState;
  epoch: number;
  wake: number;
  workerId: string | null;
  /** All rows, in order; `dropped` has the ids of those that are no longer part of the conversation. */
  messages: StoredMessage[];
  dropped: Set<string>;
  events: DurableEventBody[];
  toolCalls: Map<string, ToolCallRecord>;
  modelCalls: Map<string, ModelCallRecord>;
  usage: UsageWrite[];
  interactions: MemoryInteraction[];
  inbox: MemoryInboxMessage[];
  checkpoints: NewCheckpoint[];
  transitions: Transition[];
  wait: WaitSpec | null;
  outcome: TaskOutcome | null;
}

/** A task that nobody has claimed yet. */
export function newMemoryTask(
  id: string,
  spec: Omit<NewChild, 'id' | 'callId'>,
  place: Pick<TaskRecord, 'parentId' | 'rootId' | 'depth' | 'workspace' | 'workspaceId'>,
): MemoryTask {
  const { title, definition, prompt, input } = spec;
  const text = firstMessage(prompt, input);
  const messageId = `${id}:first`;
  return {
    record: {
      id,
      ...place,
      title,
      definition,
      autonomy: definition.autonomy,
      ...{ route: null, modeContext: null },
      mode: definition.machine === undefined ? null : IDLE,
      prompt,
      input,
      tenantId: 'default',
      attempt: 1,
      phase: 'work',
      pendingCause: null,
      turns: 0,
      repairs: 0,
      mistakes: 0,
      childCount: 0,
      activeMs: 0,
      usage: NO_TOKENS,
      costNanoUsd: 0n,
      todos: [],
      inboxPending: 0,
      cancelRequested: false,
      pauseRequested: false,
      interrupted: false,
      rollback: false,
      deadlineAt: null,
      retries: 0,
      workspacePath: null,
      workspaceEpoch: null,
      contextItems: [],
      briefing: null,
      sandbox: null,
      leftBy: null,
      crashes: 0,
      createdAt: new Date(0),
    },
    state: 'queued',
    epoch: 0,
    wake: 1,
    workerId: null,
    messages: [
      { id: messageId, seq: 1, turn: 0, role: 'user', content: [{ type: 'text', text }], stopReason: null },
    ],
    dropped: new Set(),
    checkpoints: [],
    transitions: [],
    events: [
      {
        type: 'task.created',
        data: {
          title,
          agent: definition.name,
          model: definition.model,
          parentId: place.parentId,
          depth: place.depth,
          prompt,
        },
      },
      { type: 'message.user', data: { messageId, text, source: 'prompt' } },
    ],
    toolCalls: new Map(),
    modelCalls: new Map(),
    usage: [],
    interactions: [],
    inbox: [],
    wait: null,
    outcome: null,
  };
}

/** The envelope in which a child's end reaches its parent. */
export function childOutcomeOf(
  { record, state, outcome }: MemoryTask,
  changes: Diffstat | null = null,
): ChildOutcome {
  return {
    taskId: record.id,
    title: record.title,
    state,
    cause: outcome?.cause ?? null,
    failure: outcome?.failure ?? null,
    output: outcome?.output ?? null,
    partial: outcome?.partial ?? false,
    usage: record.usage,
    costNanoUsd: record.costNanoUsd,
    changes: record.workspaceId === record.id ? changes : null,
    unsaved: false,
  };
}

/** A call whose start came too late: a cancel or a pause was there first. One that a lost worker had started stays started. */
export function notBegun(call: ToolCallRecord, before: ToolCallRecord | undefined): ToolCallRecord {
  if (call.status !== 'calling' || before?.status === 'calling') return call;
  return { ...call, status: 'generated', startedAt: null, startedEpoch: null, sandbox: null };
}

/** The interactions of the present turn: about the calls of the newest answer, and about the task as a whole. */
export function currentInteractions({ interactions, record }: MemoryTask): InteractionRecord[] {
  return interactions
    .filter(({ turn, withdrawn }) => !withdrawn && turn === record.turns)
    .map(({ turn: _, expiryAnswer: __, withdrawn: ___, ...rest }) => rest);
}

/** The state that a run goes on from. */
export function snapshotOf(task: MemoryTask, layers: PolicyLayers): TaskSnapshot {
  const { record } = task;
  const messages = conversation(task);
  const newest = messages.findLast(({ role }) => role === 'assistant');
  const modelCalls = [...task.modelCalls.values()];
  return structuredClone({
    task: record,
    messages,
    messageSeq: task.messages.length,
    toolCalls: [...task.toolCalls.values()]
      .filter(({ messageId }) => messageId === newest?.id)
      .sort((a, b) => a.position - b.position),
    modelCalls: modelCalls.filter((call) => call.turn === record.turns + 1 && call.status !== 'done'),
    context: modelCalls.findLast(({ context }) => context !== null)?.context ?? null,
    interactions: currentInteractions(task),
    layers,
    transitions: task.transitions,
  });
}

/** The conversation of a task as a rewind looks at it. */
export function rewindable(task: MemoryTask): RewindableHistory {
  const answers = conversation(task).filter(({ role }) => role === 'assistant');
  return { state: task.state, starts: exchangeStarts(task), answerSeqs: answers.map(({ seq }) => seq) };
}

function exchangeStarts(task: MemoryTask): ExchangeStart[] {
  const said = task.events.flatMap(({ type, data }) => (type === 'message.user' ? [data] : []));
  return conversation(task).flatMap(({ id, seq, content }) => {
    const own = said.filter(({ messageId, source }) => messageId === id && source !== 'harness');
    if (own.length === 0 || content.some(({ type }) => type === 'tool_result')) return [];
    const inboxIds = own.flatMap(({ inboxId }) => inboxId ?? []);
    return [{ messageId: id, seq, inboxIds, text: own.map(({ text }) => text).join('\n\n') }];
  });
}

/** The whole output of a call, by its id or by the one that the model gave it. */
export function outputIn({ toolCalls }: MemoryTask, callId: string): string | null {
  const call = [...toolCalls.values()].find(({ id, toolUseId }) => id === callId || toolUseId === callId);
  return call?.fullOutput ?? call?.output ?? null;
}

/** What a task has in hand beside its conversation; there are no processes in memory. */
export function workInHandOf(task: MemoryTask, all: Iterable<MemoryTask>): WorkInHand {
  const there = new Set(conversation(task).map(({ id }) => id));
  const said = task.events.flatMap(({ type, data }) => (type === 'message.user' ? [data] : []));
  const children = [...all].filter(({ record }) => record.parentId === task.record.id);
  return {
    requests: said.filter(({ messageId, source }) => source !== 'harness' && there.has(messageId)),
    children: children.map(({ record, state }) => ({ id: record.id, title: record.title, state })),
    processes: [],
  };
}

/** The rows of the present conversation. */
function conversation({ messages, dropped }: MemoryTask): StoredMessage[] {
  return messages.filter(({ id }) => !dropped.has(id));
}

/** Drops messages from the conversation, and ends what of them is still open. */
export function dropFrom(task: MemoryTask, fromSeq: number): StoredMessage[] {
  const gone = conversation(task).filter(({ seq }) => seq >= fromSeq);
  for (const { id } of gone) task.dropped.add(id);
  return gone;
}

/** Adds a row to the history of its work modes, and moves it. */
export function addTransition(task: MemoryTask, row: Transition): void {
  task.transitions.push(row);
  task.record.mode = row.to ?? task.record.mode;
}

/** Changes a task's state, and tells it. */
export function move(task: MemoryTask, to: TaskState): void {
  task.events.push({ type: 'task.status_changed', data: { from: task.state, to } });
  task.state = to;
}

/** The events of an end, as they read when the task went into another state than the run meant. */
export function told(events: readonly DurableEventBody[], to: TaskState): readonly DurableEventBody[] {
  return events.map((event) =>
    event.type === 'task.status_changed' && event.data.to !== to
      ? { type: event.type, data: { from: 'running', to } }
      : event,
  );
}

/** Nobody needs an answer to what this task asked; `needless` may leave some of it open. */
export function withdrawFrom(
  task: MemoryTask,
  needless: (item: MemoryInteraction) => boolean = () => true,
): void {
  task.interactions = task.interactions.map((item) => {
    if (item.answer !== null || item.withdrawn || !needless(item)) return item;
    const data = {
      interactionId: item.id,
      kind: item.kind,
      state: 'withdrawn',
      by: null,
      answer: null,
    } as const;
    task.events.push({ type: 'interaction.closed', data });
    return { ...item, withdrawn: true };
  });
}
