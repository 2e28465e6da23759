/**
 * What is known of a tree of tasks from its events alone. Fed with the stream of a root from its start, it holds the same
 * picture however often the stream broke and went on.
 */
import {
  addTokens,
  nanoUsdOf,
  NO_TOKENS,
  usdOf,
  type LiveDelta,
  type StopCause,
  type TaskEvent,
  type TaskState,
  type TaskTree,
  type TaskView,
  type TokenUsage,
  type WaitReason,
} from '@bullpen/contracts';
import { wholeWords } from '../render/flowing-text.js';
import { oneLine } from '../render/plain-text.js';
import type { ProviderSays } from '../render/provider-wait.js';
import { LossCount, takenOverText, type Losses } from '../render/takeover.js';
import { toolLine } from '../render/tool-line.js';

/** One item of a stream: an event that is stored, or a live piece of text. */
export type StreamItem = TaskEvent | LiveDelta;

export interface TaskNode {
  readonly id: string;
  parentId: string | null;
  title: string;
  agent: string;
  state: TaskState;
  waitReason: WaitReason | null;
  stopCause: StopCause | null;
  failure: string | null;
  /** What the provider said when it refused the key, for a task that waits because of that. */
  refusal: ProviderSays | null;
  /** What it did last: a tool, or the end of what it said. One line, safe to print. */
  activity: string;
  turns: number;
  usage: TokenUsage;
  costNanoUsd: bigint;
  /** Its worker was lost, and no other one has it yet. */
  isOrphan: boolean;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  readonly children: string[];
}

export interface TreeTotals {
  readonly tasks: number;
  readonly byState: ReadonlyMap<TaskState, number>;
  readonly turns: number;
  readonly usage: TokenUsage;
  readonly costUsd: string;
  readonly losses: Losses;
}

const ENDED: readonly TaskState[] = ['completed', 'failed', 'cancelled'];
/** So much of a message is kept to show its end. */
const TAIL_LENGTH = 300;
/** More columns without a space are no word that is still to come. */
const LONGEST_WORD = 40;

/** Whether nothing will happen any more in a task of this state. */
export function hasEnded(state: TaskState): boolean {
  return ENDED.includes(state);
}

/** Whether the item is a stored event; the rest are deltas. */
export function isStored(item: StreamItem): item is TaskEvent {
  return 'seq' in item;
}

export class TreeModel {
  private readonly nodes = new Map<string, TaskNode>();
  private readonly lastSeq = new Map<string, number>();
  private readonly turns = new Map<string, Set<number>>();
  private readonly lost = new LossCount();
  private readonly speech = new Map<string, { messageId: string; text: string }>();

  constructor(readonly rootId: string) {}

  /** The tree as the API gives it, without what tasks are doing. */
  static of(tree: TaskTree): TreeModel {
    const model = new TreeModel(tree.rootId);
    for (const view of tree.tasks) {
      const node = model.nodeOf(view.id, view.createdAt);
      Object.assign(node, nodeFields(view));
      model.adopt(node, view.parentId);
    }
    return model;
  }

  /** Takes one item in and says whether it changed anything. Items of other trees and repeated events change nothing. */
  apply(item: StreamItem): boolean {
    if (item.rootId !== this.rootId) return false;
    if (!isStored(item)) return this.applyDelta(item);
    if (item.seq <= (this.lastSeq.get(item.taskId) ?? 0)) return false;
    this.lastSeq.set(item.taskId, item.seq);
    this.lost.take(item);
    this.applyEvent(item, this.nodeOf(item.taskId, item.at));
    return true;
  }

  get(taskId: string): TaskNode | undefined {
    return this.nodes.get(taskId);
  }

  get root(): TaskNode | undefined {
    return this.nodes.get(this.rootId);
  }

  /** All tasks, parents before their children, children in the order in which they came; `depth` counts from the root. */
  rows(): { readonly node: TaskNode; readonly depth: number; readonly path: readonly boolean[] }[] {
    const rows: { node: TaskNode; depth: number; path: boolean[] }[] = [];
    const visit = (id: string, path: boolean[]): void => {
      const node = this.nodes.get(id);
      if (node === undefined) return;
      rows.push({ node, depth: path.length, path });
      node.children.forEach((child, index) => visit(child, [...path, index === node.children.length - 1]));
    };
    visit(this.rootId, []);
    return rows;
  }

  totals(): TreeTotals {
    const nodes = [...this.nodes.values()];
    const byState = new Map<TaskState, number>();
    for (const { state } of nodes) byState.set(state, (byState.get(state) ?? 0) + 1);
    return {
      tasks: nodes.length,
      byState,
      turns: nodes.reduce((sum, node) => sum + node.turns, 0),
      usage: nodes.reduce((sum, node) => addTokens(sum, node.usage), NO_TOKENS),
      costUsd: usdOf(nodes.reduce((sum, node) => sum + node.costNanoUsd, 0n)),
      losses: this.lost.losses,
    };
  }

  private applyEvent(event: TaskEvent, node: TaskNode): void {
    switch (event.type) {
      case 'task.created':
        node.title = oneLine(event.data.title);
        node.agent = oneLine(event.data.agent);
        node.createdAt = Date.parse(event.at);
        this.adopt(node, event.data.parentId);
        return;
      case 'task.status_changed':
        return changeState(node, event);
      case 'message.agent':
        this.countTurn(node, event.data.turn);
        if (event.data.text.trim() !== '') node.activity = lastLine(event.data.text);
        return;
      case 'tool.started':
        this.countTurn(node, event.data.turn);
        node.activity = toolLine(event.data.tool, event.data.arguments);
        return;
      case 'usage.recorded':
        node.usage = addTokens(node.usage, event.data.usage);
        node.costNanoUsd += event.data.costUsd === null ? 0n : nanoUsdOf(event.data.costUsd);
        return;
      case 'worker.lost':
        node.isOrphan = true;
        return;
      case 'task.taken_over':
        node.activity = takenOverText(event);
        return;
      case 'retry.scheduled':
        node.activity = `the model failed (${oneLine(event.data.errorClass)}), trying again`;
        return;
      case 'provider.waiting':
        node.activity = `waits for the provider (${oneLine(event.data.errorClass)})`;
        if (event.data.delayMs === null) node.refusal = refusalOf(event);
        return;
      case 'task.pause_requested':
        node.activity = 'pauses after its current step';
        return;
      case 'task.interrupted':
        node.activity = 'interrupted';
        return;
      case 'error':
        node.activity = oneLine(event.data.message);
        return;
      default:
        return;
    }
  }

  private applyDelta(delta: LiveDelta): boolean {
    const node = this.nodes.get(delta.taskId);
    if (node === undefined || hasEnded(node.state)) return false;
    if (delta.type === 'tool.generating') {
      node.activity = `${oneLine(delta.data.tool)} …`;
      return true;
    }
    if (delta.type !== 'message.delta') return false;
    const { messageId, offset, text } = delta.data;
    const known = this.speech.get(delta.taskId);
    const before = known?.messageId === messageId && offset > 0 ? known.text : '';
    const tail = tailOf(before + text);
    this.speech.set(delta.taskId, { messageId, text: tail });
    node.activity = lastLine(wholeWords(tail, LONGEST_WORD));
    return true;
  }

  private nodeOf(id: string, at: string): TaskNode {
    const known = this.nodes.get(id);
    if (known !== undefined) return known;
    const node: TaskNode = {
      id,
      parentId: null,
      title: id,
      agent: '',
      state: 'queued',
      waitReason: null,
      stopCause: null,
      failure: null,
      refusal: null,
      activity: '',
      turns: 0,
      usage: NO_TOKENS,
      costNanoUsd: 0n,
      isOrphan: false,
      createdAt: Date.parse(at),
      startedAt: null,
      endedAt: null,
      children: [],
    };
    this.nodes.set(id, node);
    return node;
  }

  private adopt(node: TaskNode, parentId: string | null): void {
    if (parentId === null || node.parentId !== null) return;
    node.parentId = parentId;
    // Events of different tasks may come in any order: the parent may not have been seen yet.
    this.nodeOf(parentId, new Date(node.createdAt).toISOString()).children.push(node.id);
  }

  private countTurn(node: TaskNode, turn: number): void {
    const turns = this.turns.get(node.id) ?? new Set();
    this.turns.set(node.id, turns.add(turn));
    node.turns = turns.size;
  }
}

function nodeFields(view: TaskView): Partial<TaskNode> {
  return {
    title: oneLine(view.title),
    agent: oneLine(view.agent),
    state: view.state,
    waitReason: view.waitReason,
    stopCause: view.stopCause,
    failure: view.failure === null ? null : oneLine(view.failure.message),
    turns: view.turns,
    usage: view.usage,
    costNanoUsd: nanoUsdOf(view.usage.costUsd),
    startedAt: view.startedAt === null ? null : Date.parse(view.startedAt),
    endedAt: view.endedAt === null ? null : Date.parse(view.endedAt),
  };
}

function changeState(node: TaskNode, event: Extract<TaskEvent, { type: 'task.status_changed' }>): void {
  const { to, reason, cause, failure } = event.data;
  const at = Date.parse(event.at);
  node.state = to;
  node.waitReason = reason ?? null;
  node.stopCause = cause ?? null;
  node.failure = failure ? oneLine(failure.message) : null;
  if (to === 'running') node.startedAt ??= at;
  if (to !== 'queued') node.isOrphan = false;
  node.endedAt = hasEnded(to) ? at : null;
}

/** The end of a text, from the beginning of a word on. */
function tailOf(text: string): string {
  return text.length <= TAIL_LENGTH ? text : text.slice(-TAIL_LENGTH).replace(/^\S*\s/, '');
}

function lastLine(text: string): string {
  return oneLine(text.trimEnd().split('\n').at(-1) ?? '');
}

function refusalOf({ data }: Extract<TaskEvent, { type: 'provider.waiting' }>): ProviderSays {
  const { errorClass, message } = data;
  return { errorClass, message };
}
