/** Real messages from the outbox on a real database to a receiver that behaves as the test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookEventType } from '@bullpen/contracts';
import { emptyStep, NO_SECRETS } from '@bullpen/core';
import { newId, silentLogger } from '@bullpen/platform';
import {
  createPool,
  createPrisma,
  createWebhook,
  getDelivery,
  PostgresTaskStore,
  pingWebhook,
  replayDelivery,
  rotateWebhookSecret,
  TaskCommands,
  WebhookOutbox,
  type Prisma,
} from '@bullpen/store';
import { aDefinition, testDatabase, waitFor, type TestDatabase } from '@bullpen/testing';
import { newWebhookSecret } from '@bullpen/webhooks';
import { Webhook } from 'standardwebhooks';
import { WebhookSender, type WebhookSenderOptions } from './sender.js';
import { webhookJobs } from './webhook-jobs.js';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('sending webhooks', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let prisma: Prisma;
  let receiver: Server;
  let url: string;
  let received: Received[];
  /** Status of the answer to the n-th request; 0: none at all. */
  let answer: (n: number) => number;
  const secret = newWebhookSecret();
  const senders: WebhookSender[] = [];

  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 6, applicationName: 'sender-spec' });
    prisma = createPrisma({ databaseUrl: database.url });
    await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
    receiver = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
        const status = answer(received.length);
        if (status !== 0) response.writeHead(status, { location: '/elsewhere' }).end('so it is');
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    url = `http://localhost:${(receiver.address() as AddressInfo).port}/`;
  });
  beforeEach(async () => {
    [received, answer] = [[], () => 204];
    await pool.query('TRUNCATE webhook_endpoints, tasks CASCADE');
  });
  afterEach(async () => {
    receiver.closeAllConnections();
    await Promise.all(senders.splice(0).map((sender) => sender.stop()));
  });
  afterAll(async () => {
    receiver.close();
    await prisma.$disconnect();
    await pool.end();
    await database.drop();
  });

  const endpoint = async (): Promise<string> => {
    const events = [...WebhookEventType.options];
    const id = await createWebhook(pool, 'default', {
      url,
      description: '',
      events,
      subtasks: false,
      secret,
    });
    if (id === null) throw new Error('not made');
    return id;
  };
  const ping = async (webhookId: string): Promise<string> => {
    const queued = await pingWebhook(pool, { tenantId: 'default', id: webhookId });
    if (queued.kind !== 'queued') throw new Error(queued.kind);
    return queued.id;
  };
  const start = (over: Partial<WebhookSenderOptions> = {}, delaysMs = [20, 20]): WebhookSender => {
    const sender = new WebhookSender({
      ...{ outbox: new WebhookOutbox(pool), target: { allowed: ['127.0.0.0/8'] }, version: '1.2.3' },
      logger: silentLogger(),
      masker: NO_SECRETS,
      timing: { everyMs: 20, delaysMs, giveUp: { failures: 100, forMs: 0 }, stopMs: 20 },
      ...over,
    });
    senders.push(sender);
    sender.start();
    return sender;
  };
  const ended = (id: string, state: 'delivered' | 'failed' = 'delivered') =>
    waitFor(
      async () => {
        const delivery = await getDelivery(prisma, { tenantId: 'default', id });
        return delivery?.state === state && delivery;
      },
      { what: `the delivery to be ${state}` },
    );
  const idsReceived = () => received.map(({ headers }) => headers['webhook-id']);
  const verified = ({ headers, body }: Received) =>
    new Webhook(secret).verify(body, headers as Record<string, string>);

  it('brings the end of a task to its receiver, signed', async () => {
    const webhookId = await endpoint();
    const sender = start();
    const jobs = webhookJobs(
      { pool, retentionDays: undefined, onDue: () => sender.poke() },
      new AbortController().signal,
    );
    const id = newId('task');
    await new TaskCommands({ pool, newId }).create({
      ...{ id, tenantId: 'default', title: 'Count', definition: aDefinition(), prompt: 'P', input: null },
      ...{ workspace: { kind: 'empty' }, priority: 0, runAt: null, tags: [], metadata: {} },
    });
    const store = new PostgresTaskStore({ pool, leaseMs: 15_000, newId });
    const lease = await store.claim(id, 1, 'worker_a');
    const outcome = {
      state: 'completed',
      cause: 'goal',
      output: '42',
      partial: false,
      failure: null,
    } as const;
    if (lease) await store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome } });
    await waitFor(
      async () => {
        for (const job of jobs) expect(await job.run()).toBe(0);
        return received.length > 0;
      },
      { what: 'the message' },
    );

    const [message] = received;
    if (!message) throw new Error('no message');
    expect(verified(message)).toMatchObject({
      type: 'task.completed',
      data: { taskId: id, title: 'Count', state: 'completed', outputPreview: '42' },
    });
    const sent = await ended(String(message.headers['webhook-id']));
    expect(sent).toMatchObject({ webhookId, taskId: id, attempts: 1, payload: message.body });
    expect(message.headers['user-agent']).toBe('Bullpen-Webhooks/1.2.3');
  });

  it('tries again what was refused, with the same id and body, until it arrives', async () => {
    answer = (n) => [500, 302, 200][n - 1] ?? 200;
    start();
    const id = await ping(await endpoint());
    const { log } = await ended(id);
    expect(log).toMatchObject([
      { number: 1, status: 500, error: 'the receiver answered 500', response: 'so it is' },
      { number: 2, status: 302, error: 'redirects are not followed' },
      { number: 3, status: 200, error: null },
    ]);
    expect(idsReceived()).toEqual([id, id, id]);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  });

  it('gives up after the last attempt, and begins again when somebody asks for it', async () => {
    answer = (n) => (n <= 3 ? 503 : 200);
    start();
    const id = await ping(await endpoint());
    expect(await ended(id, 'failed')).toMatchObject({ attempts: 3, lastStatus: 503 });
    await replayDelivery(pool, { tenantId: 'default', id });
    expect(await ended(id)).toMatchObject({ attempts: 4 });
    expect(new Set(idsReceived())).toEqual(new Set([id]));
  });

  it('sends again with the same id what a process sent that died before it could store the end', async () => {
    const outbox = new WebhookOutbox(pool);
    let dies = true;
    start({
      outbox: {
        claim: (options) => outbox.claim({ ...options, leaseMs: 50 }),
        release: (claim) => outbox.release(claim),
        settle: (...args) => {
          if (!dies) return outbox.settle(...args);
          dies = false;
          return Promise.reject(new Error('the process is gone'));
        },
      },
    });
    const id = await ping(await endpoint());
    expect(await ended(id)).toMatchObject({ attempts: 2, log: [{ number: 2 }] });
    expect(idsReceived()).toEqual([id, id]);
  });

  it('sends nothing to a name that means this machine, unless that is allowed', async () => {
    start({ target: { allowed: [] } }, []);
    const id = await ping(await endpoint());
    expect(await ended(id, 'failed')).toMatchObject({
      lastError: expect.stringMatching(/not sent: .*(127\.0\.0\.1|::1) is not a public address/),
    });
    expect(received).toEqual([]);
  });

  it('sends nothing more to a receiver that says 410', async () => {
    answer = () => 410;
    const webhookId = await endpoint();
    const [first, second] = [await ping(webhookId), await ping(webhookId)];
    start();
    await ended(first, 'failed');
    await ended(second, 'failed');
    const row = await prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: webhookId } });
    expect(row.disabledReason).toContain('410');
  });

  it('can be verified with the old secret after a rotation', async () => {
    const webhookId = await endpoint();
    await rotateWebhookSecret(pool, { tenantId: 'default', id: webhookId }, newWebhookSecret());
    start();
    await ended(await ping(webhookId));
    expect(received.map(verified)).toMatchObject([{ type: 'ping', data: { webhookId } }]);
  });

  it('gives back at a stop what nobody answered, for another process to send at once', async () => {
    answer = (n) => (n === 1 ? 0 : 200);
    const id = await ping(await endpoint());
    const stopping = start();
    await waitFor(() => received.length === 1, { what: 'the request' });
    await stopping.stop();
    start();
    expect(await ended(id)).toMatchObject({ attempts: 2 });
  });
});
