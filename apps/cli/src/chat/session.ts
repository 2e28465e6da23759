/** A conversation: one task that listens after each answer. Follows its stream, and knows when it is the user's turn. */
import { isStored, type StreamItem, TreeModel } from '@bullpen/client';
import { type CreateTaskInput, isTerminal, type TaskView } from '@bullpen/contracts';
import type { Connection } from '../context.js';
import { watchNeeds, waitsForMessage, waitsForPeople } from '../live/needs-people.js';
import type { Attendant } from '../people/attendant.js';
import type { ChatView } from './chat-view.js';

/** Why it is the user's turn. `put_off`: the user left open what the agent asked. */
export type Settled = 'answered' | 'stopped' | 'ended' | 'put_off';

export interface SessionOptions {
  readonly connection: Connection;
  readonly task: TaskView;
  readonly view: ChatView;
  /** Null where nobody can be asked: a question that only a person can answer then ends the conversation here. */
  attendantFor(signal: AbortSignal, fail: (error: unknown) => void): Attendant | null;
}

const PATIENCE_MS = 180_000;

export class ChatSession {
  readonly #options: SessionOptions;
  readonly #model: TreeModel;
  readonly #leave = new AbortController();
  readonly #attendant: Attendant | null;
  readonly #look: (item: StreamItem) => void;
  /** Waits for the user's turn. */
  #turn: { resolve(settled: Settled): void; reject(error: unknown): void } | null = null;
  #failure: { readonly error: unknown } | null = null;
  /** Newest events seen: of the task, and of its state. */
  #seen = { any: 0, state: 0 };
  /** The state counts from here on: it has to be newer than what was said, or as new as what was there when we came. */
  #from: { readonly any: number; readonly state: number };
  #paused = false;
  /** Messages that were said while it worked, and those of the inbox that are settled: delivered or withdrawn. */
  readonly #queued = new Set<string>();
  readonly #done = new Set<string>();
  #sending = 0;

  private constructor(options: SessionOptions) {
    this.#options = options;
    const { client } = options.connection;
    const { signal } = this.#leave;
    this.#model = new TreeModel(options.task.id);
    this.#from = { any: options.task.eventSeq, state: 0 };
    this.#attendant = options.attendantFor(signal, (error) => this.#fail(error));
    this.#look = watchNeeds({
      client,
      model: this.#model,
      signal,
      wanted: (model) => this.#attendant === null && waitsForPeople(model) && !waitsForMessage(model),
      found: (need) => this.#fail(need),
      failed: (error) => this.#fail(error),
    });
  }

  /** Begins a conversation. */
  static async begin(
    body: CreateTaskInput,
    connection: Connection,
    optionsFor: (task: TaskView) => Omit<SessionOptions, 'connection' | 'task'>,
  ): Promise<ChatSession> {
    const task = await connection.client.tasks.create({ ...body, conversation: true });
    const session = ChatSession.of(task, connection, optionsFor);
    if (body.prompt !== undefined) session.#options.view.typed(body.prompt);
    return session;
  }

  /** Goes on with a conversation, from its start on the screen. */
  static of(
    task: TaskView,
    connection: Connection,
    optionsFor: (task: TaskView) => Omit<SessionOptions, 'connection' | 'task'>,
  ): ChatSession {
    const session = new ChatSession({ connection, task, ...optionsFor(task) });
    void session.#follow();
    return session;
  }

  get taskId(): string {
    return this.#options.task.id;
  }

  /** Whether something that the agent asked was left open, which a message would withdraw. */
  get hasPutOff(): boolean {
    return this.#state() === 'put_off';
  }

  /** Aborts when the conversation is left. */
  get left(): AbortSignal {
    return this.#leave.signal;
  }

  /** Resolves when it is the user's turn. Rejects when the stream is lost, or when only a person could go on and none is here. */
  settled(): Promise<Settled> {
    return new Promise<Settled>((resolve, reject) => {
      this.#turn = { resolve, reject };
      this.#check();
    });
  }

  /** Says something while the agent works: it is read at the next border of a turn, and shown then. Before that the user has not the word. */
  async queue(text: string): Promise<void> {
    this.#sending += 1;
    try {
      const { id } = await this.#options.connection.client.tasks.sendMessage(this.taskId, { text });
      this.#queued.add(id);
    } finally {
      this.#sending -= 1;
      this.#check();
    }
  }

  /** Says something; `settled` tells when it is answered. */
  async say(text: string): Promise<void> {
    const { client } = this.#options.connection;
    this.#from = { any: 0, state: this.#seen.state + 1 };
    this.#options.view.typed(text);
    // Nobody answers what was left open; whoever says something instead means that.
    if (this.hasPutOff) return void (await client.tasks.interrupt(this.taskId, { message: text }));
    await client.tasks.sendMessage(this.taskId, { text });
    // What was interrupted goes on with the message.
    if (this.#paused) await client.tasks.resume(this.taskId);
    this.#paused = false;
  }

  /** Interrupts the answer; the conversation then waits for the next message. */
  async interrupt(): Promise<void> {
    this.#paused = true;
    await this.#options.connection.client.tasks.pause(this.taskId, { now: true });
  }

  /** Asks again what was put off. False when there is nothing. */
  askAgain(): boolean {
    const attendant = this.#attendant;
    const open = attendant?.putOff ?? [];
    for (const id of open) attendant?.ask(id);
    // No event tells that it was put off again.
    void attendant?.idle().then(() => this.#check());
    return open.length > 0;
  }

  /** Leaves the task as it is. */
  async leave(): Promise<void> {
    this.#leave.abort();
    await this.#attendant?.leave();
  }

  async #follow(): Promise<void> {
    const { connection, task } = this.#options;
    const { signal } = this.#leave;
    try {
      const options = { tree: true, signal, maxOfflineMs: PATIENCE_MS };
      for await (const item of connection.client.tasks.stream(task.id, options)) this.#onItem(item);
      this.#check();
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #onItem(item: StreamItem): void {
    this.#options.view.onItem(item);
    this.#look(item);
    if (this.#attendant !== null) {
      this.#attendant.onItem(item);
      if (this.#attendant.busy) void this.#attendant.idle().then(() => this.#check());
    }
    if (!isStored(item) || item.taskId !== this.taskId) return;
    this.#seen.any = item.seq;
    if (item.type === 'message.user' && item.data.inboxId !== undefined) this.#done.add(item.data.inboxId);
    if (item.type === 'message.withdrawn') this.#done.add(item.data.inboxId);
    if (item.type === 'task.status_changed') {
      this.#seen.state = item.seq;
      this.#paused = item.data.to === 'paused';
    }
    this.#check();
  }

  #check(): void {
    if (this.#turn === null) return;
    if (this.#failure !== null) return this.#turn.reject(this.#failure.error);
    if (this.#seen.any < this.#from.any || this.#seen.state < this.#from.state) return;
    const settled = this.#state();
    if (settled === null) return;
    this.#options.view.settle();
    this.#turn.resolve(settled);
    this.#turn = null;
  }

  #state(): Settled | null {
    const state = this.#model.root?.state;
    if (state === undefined) return null;
    if (isTerminal(state)) return 'ended';
    if (state === 'paused') return 'stopped';
    if (waitsForMessage(this.#model)) return this.#isHeard() ? 'answered' : null;
    const attendant = this.#attendant;
    const putOff = attendant !== null && !attendant.busy && attendant.putOff.length > 0;
    return putOff && waitsForPeople(this.#model) ? 'put_off' : null;
  }

  /** Whether nothing that was said while it worked still waits to be read. */
  #isHeard(): boolean {
    return this.#sending === 0 && [...this.#queued].every((id) => this.#done.has(id));
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#check();
  }
}
