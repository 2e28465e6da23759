/** What is really there while the API is fuzzed: tasks, questions of every kind, webhooks, tenants, and cursors of real lists. */
import type { BullpenClient } from '@bullpen/client';
import type { InteractionKind, Json } from '@bullpen/contracts';
import { emptyStep } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { QUEUE_NAME } from '@bullpen/queue';
import { PostgresTaskStore, type createPool } from '@bullpen/store';
import type { Random } from '../sweep/random.js';

const KINDS: readonly InteractionKind[] = ['approval', 'question', 'plan', 'budget', 'mistakes'];
/** Of each sort; the oldest are forgotten. */
const MOST = 40;
const LISTS = ['/v1/tasks', '/v1/interactions', '/v1/webhooks/{id}/deliveries', '/v1/tasks/{id}/messages'];

type Sort =
  | 'task'
  | 'interaction'
  | 'webhook'
  | 'delivery'
  | 'message'
  | 'tenant'
  | 'provider'
  | 'scope'
  | 'call'
  | 'queue';

export interface GroundOptions {
  readonly client: BullpenClient;
  readonly pool: ReturnType<typeof createPool>;
  readonly port: number;
  readonly apiKey: string;
}

export class Ground {
  readonly port: number;
  readonly apiKey: string;
  readonly #client: BullpenClient;
  readonly #store: PostgresTaskStore;
  readonly #ids: Record<Sort, string[]> = {
    ...{ task: [], interaction: [], webhook: [], delivery: [], message: [], tenant: ['default'] },
    ...{
      provider: ['9f86d081884c7d65'],
      scope: ['installation', 'project', 'task'],
      call: [newId('call')],
      queue: [QUEUE_NAME],
    },
  };
  #cursors: string[] = [];
  #laid = 0;

  constructor({ client, pool, port, apiKey }: GroundOptions) {
    this.#client = client;
    this.#store = new PostgresTaskStore({ pool, leaseMs: 60_000, newId });
    this.port = port;
    this.apiKey = apiKey;
  }

  /** Adds new things of every sort: what is there gets cancelled, answered and deleted by what is sent. */
  async lay(): Promise<void> {
    this.#laid += 1;
    const { id } = await this.#task();
    const message = await this.#client.tasks.sendMessage(id, 'Go on.');
    this.#add('message', message.id);
    await this.#task();
    await this.#asking();
    const webhook = await this.#client.webhooks.create({ url: `http://127.0.0.1:1/${this.#laid}` });
    this.#add('webhook', webhook.id);
    for (let at = 0; at < 2; at += 1)
      this.#add('delivery', (await this.#client.webhooks.test(webhook.id)).id);
    await this.#client.tenants.create({ id: `team-${this.#laid}` });
    this.#add('tenant', `team-${this.#laid}`);
    await this.#readCursors();
  }

  /** An id that may stand in this place of the path. */
  idFor(random: Random, path: string, name: string): string {
    return encodeURIComponent(random.pick(this.#ids[sortOf(path, name)]));
  }

  /** A cursor of a list, whole or tampered with, as it is written into a query. */
  cursor(random: Random): string {
    const cursor = random.pick(this.#cursors);
    if (random.chance(0.2)) return cursor;
    const decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as [string, Json[]];
    const values = [...decoded[1]];
    const odd: Json = random.pick([
      ...['\u0000', 'a\u0000b', '\ud800', '', '__proto__', 'x'.repeat(150), '\ufeff'],
      ...[
        0,
        -1,
        1.5,
        2 ** 31,
        -(2 ** 31) - 1,
        2 ** 53,
        1e20,
        1e308,
        8.64e15,
        -8.64e15,
        -6.3e13,
        8.65e15,
        null,
        true,
      ],
      ...[[], {}, [1]],
    ] as Json[]);
    values[random.between(0, Math.max(0, values.length - 1))] = odd;
    if (random.chance(0.1)) values.push(odd);
    return Buffer.from(JSON.stringify([decoded[0], values])).toString('base64url');
  }

  /** An example with ids that exist in the place of its own. */
  fill(random: Random, example: object): object {
    const text = JSON.stringify(example).replace(
      /"(task|ask|inbox|webhook)_[0-9a-z]{26}"/g,
      (id, kind: string) => {
        const sort = ({ task: 'task', ask: 'interaction', inbox: 'message', webhook: 'webhook' } as const)[
          kind
        ];
        return sort === undefined ? id : JSON.stringify(random.pick(this.#ids[sort]));
      },
    );
    return JSON.parse(text) as object;
  }

  #task() {
    return this.#client.tasks
      .create({ prompt: 'Say hello in one sentence.', autonomy: 'agent' })
      .then((task) => (this.#add('task', task.id), task));
  }

  /** A task that waits for one answer of each kind, as a worker leaves it. */
  async #asking(): Promise<void> {
    const { id: taskId } = await this.#task();
    const lease = await this.#store.claim(taskId, 1, newId('worker'));
    if (lease === null) throw new Error(`Nobody could claim ${taskId}`);
    const interactions = KINDS.map((kind) => ({
      id: newId('ask'),
      kind,
      callId: null,
      hash: 'c'.repeat(64),
      title: kind,
      turn: 0,
      payload: PAYLOADS[kind],
      expiresInMs: null,
      expiryAnswer: null,
    }));
    const interactionIds = interactions.map(({ id }) => id);
    const wait = { reason: 'approval', mode: 'any', childIds: [], dueInMs: null, interactionIds } as const;
    const end = { kind: 'suspend', waitId: newId('wait'), wait } as const;
    await this.#store.commit(lease, { ...emptyStep(), interactions, end });
    for (const id of interactionIds) this.#add('interaction', id);
  }

  async #readCursors(): Promise<void> {
    const cursors: string[] = [];
    for (const list of LISTS) {
      const path = list.replace(
        '{id}',
        this.#ids[list.includes('webhooks') ? 'webhook' : 'task'].at(-1) ?? '',
      );
      const answer = await fetch(`http://127.0.0.1:${this.port}${path}?limit=1`, {
        headers: { authorization: `Bearer ${this.apiKey}` },
      });
      const { nextCursor } = (await answer.json()) as { nextCursor?: string | null };
      if (typeof nextCursor === 'string') cursors.push(nextCursor);
    }
    if (cursors.length === 0) throw new Error('No list has a second page');
    this.#cursors = cursors;
  }

  #add(sort: Sort, id: string): void {
    this.#ids[sort].push(id);
    if (this.#ids[sort].length > MOST) this.#ids[sort].shift();
  }
}

const PAYLOADS = {
  approval: { tool: 'run_command', arguments: { command: 'make' }, reason: 'It runs code.', rule: 'execute' },
  question: { question: 'Which?', options: [{ label: 'left' }], multiple: false, freeText: true },
  plan: { version: 1, plan: 'Do it.', steps: ['first'] },
  budget: { turn: 0, limitUsd: '1', spentUsd: '1', neededUsd: '0.1' },
  mistakes: { turn: 0, mistakes: 3, message: 'It is stuck.' },
} satisfies Record<InteractionKind, Record<string, Json>>;

function sortOf(path: string, name: string): Sort {
  if (name === 'messageId') return 'message';
  if (name === 'callId') return 'call';
  if (name === 'scope' || name === 'queue') return name;
  if (path.startsWith('/v1/interactions')) return 'interaction';
  if (path.startsWith('/v1/webhooks/deliveries')) return 'delivery';
  if (path.startsWith('/v1/webhooks')) return 'webhook';
  if (path.startsWith('/v1/tenants')) return 'tenant';
  return path.startsWith('/v1/providers') ? 'provider' : 'task';
}
