/**
 * What is known of a tree of tasks from its events alone, for whatever shows it. Texts are as they came: nothing is made safe to print. Fed with the stream of a root from its start, it holds the same
 * picture however often the stream broke and went on.
 */
import {
  addTokens,
  isTerminal,
  nanoUsdOf,
  NO_TOKENS,
  usdOf,
  type ContextSize,
  type LiveDelta,
  type StopCause,
  type TaskEvent,
  type TaskState,
  type TaskTree,
  type TaskView,
  type TokenUsage,
  type WaitReason,
} from '@bullpen/contracts';
import { activityOf, NOTHING, Speech, type Activity, type ProviderSays } from './activity.js';
import { LossCount, type Losses } from './loss-count.js';

/** One item of a stream: an event that is stored, or a live piece of text. */
export type StreamItem = TaskEvent | LiveDelta;

/** One task of the tree, as far as its events have told. */
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
  /** What it did last: a tool, or the end of what it said. */
  activity: Activity;
  turns: number;
  usage: TokenUsage;
  costNanoUsd: bigint;
  /** How full its window was with its newest model call. */
  context: ContextSize | null;
  /** Its worker was lost, and no other one has it yet. */
  isOrphan: boolean;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  readonly children: string[];
}

interface TreeTotals {
  readonly tasks: number;
  readonly byState: ReadonlyMap<TaskState, number>;
  readonly turns: number;
  readonly usage: TokenUsage;
  readonly costUsd: string;
  readonly losses: Losses;
}

/** Whether the item is a stored event; the rest are deltas. */
export function isStored(item: StreamItem): item is TaskEvent {
  return 'seq' in item;
}

export class TreeModel {
  private readonly known = new Map<string, TaskNode>();
  private readonly lastSeq = new Map<string, number>();
  private readonly turns = new Map<string, Set<number>>();
  private readonly lost = new LossCount();
  private readonly speech = new Map<string, Speech>();

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
    return this.known.get(taskId);
  }

  get root(): TaskNode | undefined {
    return this.known.get(this.rootId);
  }

  /** All tasks that were heard of, also those whose parent was not. */
  nodes(): TaskNode[] {
    return [...this.known.values()];
  }

  /** All tasks, parents before their children, children in the order in which they came; `depth` counts from the root. */
  rows(): { readonly node: TaskNode; readonly depth: number; readonly path: readonly boolean[] }[] {
    const rows: { node: TaskNode; depth: number; path: boolean[] }[] = [];
    const visit = (id: string, path: boolean[]): void => {
      const node = this.known.get(id);
      if (node === undefined) return;
      rows.push({ node, depth: path.length, path });
      node.children.forEach((child, index) => visit(child, [...path, index === node.children.length - 1]));
    };
    visit(this.rootId, []);
    return rows;
  }

  totals(): TreeTotals {
    const nodes = [...this.known.values()];
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
    node.activity = activityOf(event) ?? node.activity;
    switch (event.type) {
      case 'task.created':
        node.title = event.data.title;
        node.agent = event.data.agent;
        node.createdAt = Date.parse(event.at);
        return this.adopt(node, event.data.parentId);
      case 'task.status_changed':
        return changeState(node, event);
      case 'message.agent':
      case 'tool.started':
        return this.countTurn(node, event.data.turn);
      case 'usage.recorded':
        node.usage = addTokens(node.usage, event.data.usage);
        node.context = event.data.context ?? node.context;
        node.costNanoUsd += event.data.costUsd === null ? 0n : nanoUsdOf(event.data.costUsd);
        return;
      case 'worker.lost':
        node.isOrphan = true;
        return;
      case 'provider.waiting':
        if (event.data.delayMs === null) node.refusal = refusalOf(event);
        return;
      default:
        return;
    }
  }

  private applyDelta(delta: LiveDelta): boolean {
    const node = this.known.get(delta.taskId);
    if (node === undefined || isTerminal(node.state)) return false;
    if (delta.type === 'tool.generating') node.activity = { kind: 'calling', tool: delta.data.tool };
    else if (delta.type === 'message.delta') node.activity = this.speechOf(delta.taskId).take(delta.data);
    else return false;
    return true;
  }

  private speechOf(taskId: string): Speech {
    const speech = this.speech.get(taskId) ?? new Speech();
    this.speech.set(taskId, speech);
    return speech;
  }

  private nodeOf(id: string, at: string): TaskNode {
    const known = this.known.get(id);
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
      activity: NOTHING,
      turns: 0,
      usage: NO_TOKENS,
      context: null,
      costNanoUsd: 0n,
      isOrphan: false,
      createdAt: Date.parse(at),
      startedAt: null,
      endedAt: null,
      children: [],
    };
    this.known.set(id, node);
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
    title: view.title,
    agent: view.agent,
    state: view.state,
    waitReason: view.waitReason,
    stopCause: view.stopCause,
    failure: view.failure?.message ?? null,
    turns: view.turns,
    usage: view.usage,
    context: view.context,
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
  node.failure = failure?.message ?? null;
  if (to === 'running') node.startedAt ??= at;
  if (to !== 'queued') node.isOrphan = false;
  node.endedAt = isTerminal(to) ? at : null;
}

function refusalOf({ data }: Extract<TaskEvent, { type: 'provider.waiting' }>): ProviderSays {
  const { errorClass, message } = data;
  return { errorClass, message };
}
