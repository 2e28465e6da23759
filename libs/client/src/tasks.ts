/** Calls about tasks. */
import {
  ApiMessagePage,
  AttemptList,
  TaskBriefing,
  EventPage,
  FailureList,
  InboxMessagePage,
  InboxMessageView,
  ModelCallBodies,
  ModelCallPage,
  RewindReport,
  SearchPage,
  TaskPage,
  TaskTree,
  TaskUsageView,
  TaskView,
  Timeline,
  ToolCallPage,
  ToolOutput,
  TransitionsView,
  type AttemptView,
  type Briefing,
  type Autonomy,
  type CancelTask,
  type CreateTaskInput,
  type InterruptTask,
  type LiveDelta,
  type ListTasks,
  type PageQuery,
  type PauseTask,
  type FailuresQuery,
  type FireTrigger,
  type ForkTask,
  type RetryTaskInput,
  type RewindTask,
  type SearchQuery,
  type SendMessageInput,
  type TaskEvent,
  type ToolCallView,
  type UpdateTask,
} from '@bullpen/contracts';
import type { z } from 'zod';
import { streamEvents, type StreamOptions } from './event-stream.js';
import { itemsOf } from './pages.js';
import type { Transport } from './transport.js';

/** What every call may be given. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** For calls that change something. A key is made for each call that has none; give one to be safe across processes, too. */
export interface ChangeOptions extends CallOptions {
  readonly idempotencyKey?: string | undefined;
}

export type TaskFilter = Partial<ListTasks>;
type PageOptions = Partial<PageQuery> & CallOptions;
interface EventsOptions extends CallOptions {
  readonly after?: string | number;
  readonly limit?: number;
  readonly tree?: boolean;
}

export class TasksClient {
  constructor(private readonly transport: Transport) {}

  /** Submits a task. When this resolves, the task cannot be lost. */
  create(body: CreateTaskInput, options: ChangeOptions = {}): Promise<TaskView> {
    return this.transport.call({ method: 'POST', path: '/v1/tasks', body, answer: TaskView, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<TaskView> {
    return this.#get(id, '', TaskView, {}, options);
  }

  /** One page, newest first. */
  list(filter: TaskFilter = {}, options: CallOptions = {}): Promise<TaskPage> {
    return this.transport.call({
      method: 'GET',
      path: '/v1/tasks',
      query: filter,
      answer: TaskPage,
      ...options,
    });
  }

  /** All tasks that fit, newest first, page after page. */
  iterate(
    filter: Omit<TaskFilter, 'after'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<TaskView, void, undefined> {
    return itemsOf((after) => this.list({ ...filter, ...(after !== undefined && { after }) }, options));
  }

  /** Places where the words are: titles, prompts, messages; tasks newest first. */
  search(
    query: Partial<SearchQuery> & { readonly q: string },
    options: CallOptions = {},
  ): Promise<SearchPage> {
    return this.transport.call({ method: 'GET', path: '/v1/search', query, answer: SearchPage, ...options });
  }

  cancel(id: string, body: CancelTask = {}, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/cancel', body, options);
  }

  /** Pauses a task and everything below it. */
  pause(id: string, body: Partial<PauseTask> = {}, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/pause', body, options);
  }

  /** Lets a paused task and everything below it go on. */
  resume(id: string, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/resume', {}, options);
  }

  /** Cuts off what a task does; with a message it goes on with that, without one it is paused, or (a conversation) waits for one. */
  interrupt(id: string, body: InterruptTask = {}, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/interrupt', body, options);
  }

  /** Switches the autonomy of a task; its agent is told. */
  switchAutonomy(id: string, autonomy: Autonomy, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/autonomy', { autonomy }, options);
  }

  /** Where a task may go from its work mode, and how it came there. */
  transitions(id: string, options: CallOptions = {}): Promise<TransitionsView> {
    return this.#get(id, '/transitions', TransitionsView, {}, options);
  }

  /** Fires a trigger of the work mode that a task is in; its agent is told. Throws `transition_refused` with those that would work. */
  fireTrigger(id: string, body: FireTrigger, options: ChangeOptions = {}): Promise<TransitionsView> {
    return this.transport.call({
      method: 'POST',
      path: pathOf(id, '/transitions'),
      body,
      answer: TransitionsView,
      ...options,
    });
  }

  /** Gives a failed task another attempt, from where it stopped; with mode `new` a new task does an ended one again, and is given. */
  retry(id: string, body: RetryTaskInput = {}, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/retry', body, options);
  }

  /** A new task that goes on from this one: from its newest checkpoint, or from the conversation of an imported task. */
  fork(id: string, body: ForkTask = {}, options: ChangeOptions = {}): Promise<TaskView> {
    return this.#change(id, '/fork', body, options);
  }

  /** Failed tasks, grouped by how they failed. */
  failures(query: Partial<FailuresQuery> = {}, options: CallOptions = {}): Promise<FailureList> {
    return this.transport.call({
      method: 'GET',
      path: '/v1/failures',
      query,
      answer: FailureList,
      ...options,
    });
  }

  /** Changes what may change while a task lives. */
  update(id: string, body: UpdateTask, options: CallOptions = {}): Promise<TaskView> {
    return this.transport.call({ method: 'PATCH', path: pathOf(id, ''), body, answer: TaskView, ...options });
  }

  /** Leaves a message for the task's next turn border; its strategy says what becomes of the turn under way. */
  sendMessage(
    id: string,
    message: SendMessageInput | string,
    options: ChangeOptions = {},
  ): Promise<InboxMessageView> {
    const body = typeof message === 'string' ? { text: message } : message;
    return this.transport.call({
      method: 'POST',
      path: pathOf(id, '/messages'),
      body,
      answer: InboxMessageView,
      ...options,
    });
  }

  /** Changes a message that the agent has not read. */
  editMessage(
    id: string,
    messageId: string,
    text: string,
    options: CallOptions = {},
  ): Promise<InboxMessageView> {
    const path = pathOf(id, `/messages/${encodeURIComponent(messageId)}`);
    return this.transport.call({
      method: 'PATCH',
      path,
      body: { text },
      answer: InboxMessageView,
      ...options,
    });
  }

  /** Withdraws a message that the agent has not read. */
  withdrawMessage(id: string, messageId: string, options: CallOptions = {}): Promise<InboxMessageView> {
    const path = pathOf(id, `/messages/${encodeURIComponent(messageId)}`);
    return this.transport.call({ method: 'DELETE', path, answer: InboxMessageView, ...options });
  }

  /** Takes the newest exchanges of a conversation back: so many, or all from a message on. */
  rewind(id: string, request: RewindTask, options: ChangeOptions = {}): Promise<RewindReport> {
    return this.transport.call({
      method: 'POST',
      path: pathOf(id, '/rewind'),
      body: request,
      answer: RewindReport,
      ...options,
    });
  }

  /** Messages that were sent to the task, oldest first. */
  messages(id: string, { signal, ...query }: PageOptions = {}): Promise<InboxMessagePage> {
    return this.#get(id, '/messages', InboxMessagePage, query, { signal });
  }

  /** The whole tree that the task belongs to, depth first. */
  tree(id: string, options: CallOptions = {}): Promise<TaskTree> {
    return this.#get(id, '/tree', TaskTree, {}, options);
  }

  /** When the tasks of the whole tree were in which state. */
  timeline(id: string, options: CallOptions = {}): Promise<Timeline> {
    return this.#get(id, '/timeline', Timeline, {}, options);
  }

  usage(id: string, options: CallOptions = {}): Promise<TaskUsageView> {
    return this.#get(id, '/usage', TaskUsageView, {}, options);
  }

  /** What its agent was told about the place that it works in. */
  async briefing(id: string, options: CallOptions = {}): Promise<Briefing | null> {
    return (await this.#get(id, '/briefing', TaskBriefing, {}, options)).briefing;
  }

  async attempts(id: string, options: CallOptions = {}): Promise<AttemptView[]> {
    return (await this.#get(id, '/attempts', AttemptList, {}, options)).data;
  }

  toolCalls(id: string, { signal, ...query }: PageOptions = {}): Promise<ToolCallPage> {
    return this.#get(id, '/tool-calls', ToolCallPage, query, { signal });
  }

  /** All tool calls in order. */
  iterateToolCalls(id: string, options: CallOptions = {}): AsyncGenerator<ToolCallView, void, undefined> {
    return itemsOf((after) =>
      this.toolCalls(id, { limit: 200, ...(after !== undefined && { after }), ...options }),
    );
  }

  /** The whole output of a tool call. */
  toolOutput(id: string, callId: string, options: CallOptions = {}): Promise<ToolOutput> {
    return this.#get(id, `/tool-calls/${encodeURIComponent(callId)}/output`, ToolOutput, {}, options);
  }

  modelCalls(id: string, { signal, ...query }: PageOptions = {}): Promise<ModelCallPage> {
    return this.#get(id, '/model-calls', ModelCallPage, query, { signal });
  }

  /** What a model call sent and got, of a task that keeps that. */
  modelCallBodies(id: string, callId: string, options: CallOptions = {}): Promise<ModelCallBodies> {
    return this.#get(id, `/model-calls/${encodeURIComponent(callId)}/bodies`, ModelCallBodies, {}, options);
  }

  /** The history as the model is sent it. */
  apiHistory(id: string, { signal, ...query }: PageOptions = {}): Promise<ApiMessagePage> {
    return this.#get(id, '/history/api', ApiMessagePage, query, { signal });
  }

  /** What people saw. */
  uiHistory(id: string, { signal, ...query }: Omit<EventsOptions, 'tree'> = {}): Promise<EventPage> {
    return this.#get(id, '/history/ui', EventPage, query, { signal });
  }

  events(id: string, { signal, ...query }: EventsOptions = {}): Promise<EventPage> {
    return this.#get(id, '/events', EventPage, query, { signal });
  }

  /** Events of a task, or with `tree` of its whole tree: what is after `after`, then what happens, until the task ends. */
  stream(
    id: string,
    { tree, ...options }: StreamOptions & { readonly tree?: boolean } = {},
  ): AsyncGenerator<TaskEvent | LiveDelta, void, undefined> {
    const path = pathOf(id, '/stream');
    const scope = tree ? ({ path, query: { tree }, of: 'tree' } as const) : ({ path, of: 'task' } as const);
    return streamEvents(this.transport, scope, options);
  }

  #change(id: string, verb: string, body: object, options: ChangeOptions): Promise<TaskView> {
    return this.transport.call({
      method: 'POST',
      path: pathOf(id, verb),
      body,
      answer: TaskView,
      ...options,
    });
  }

  #get<T>(
    id: string,
    rest: string,
    answer: z.ZodType<T>,
    query: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<T> {
    return this.transport.call({ method: 'GET', path: pathOf(id, rest), query, answer, ...options });
  }
}

function pathOf(id: string, rest: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}${rest}`;
}
