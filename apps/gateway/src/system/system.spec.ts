/** Health, readiness, the state of the installation, the API reference and the first page. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModeList, ModeSuggestion, Readiness, SystemInfo } from '@bullpen/contracts';
import { suggestMode } from '@bullpen/core';
import { ENGLISH_PROMPTS, KOREAN_PROMPTS, SPOKEN_PROMPTS } from '@bullpen/core/testing/prompts';
import { redisAvailable, testRedis, waitFor } from '@bullpen/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

describe('health', () => {
  it('lives, and is ready with database, schema and queue', async () => {
    expect(await (await bullpen.call('/healthz', { key: null })).json()).toEqual({ status: 'ok' });
    // On a busy machine the queue may answer too late once.
    const ready = async () => (await bullpen.call('/readyz', { key: null })).status === 200;
    await waitFor(ready, { what: 'the gateway to be ready' });
    const response = await bullpen.call('/readyz', { key: null });
    const { status, checks } = Readiness.parse(await response.json());
    expect([response.status, status, checks.map(({ name, ok }) => [name, ok])]).toEqual([
      200,
      'ready',
      [
        ['postgres', true],
        ['migrations', true],
        ['queue', true],
      ],
    ]);
  });

  it('is not ready while a migration is missing', async () => {
    const [first] = await bullpen.prisma.$queryRawUnsafe<{ migration_name: string }[]>(
      'select * from _prisma_migrations order by migration_name limit 1',
    );
    await bullpen.prisma.$executeRawUnsafe('alter table _prisma_migrations rename to hidden');
    const response = await bullpen.call('/readyz', { key: null });
    await bullpen.prisma.$executeRawUnsafe('alter table hidden rename to _prisma_migrations');
    expect(response.status).toBe(503);
    const { checks } = Readiness.parse(await response.json());
    expect(checks.find(({ name }) => name === 'migrations')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(
        `^not applied: ${first?.migration_name}, .* more; run "bullpen migrate"$`,
      ),
    });
  });
});

(redisAvailable() ? describe : describe.skip)('readiness with a Redis that takes no writes', () => {
  it('is not given while its memory is full, nor while it is a replica, and says why', async () => {
    const redis = await testRedis();
    const other = await startTestGateway({ redisUrl: redis.url });
    const look = async () => {
      const response = await other.call('/readyz', { key: null });
      const { checks } = Readiness.parse(await response.json());
      return { status: response.status, queue: checks.find(({ name }) => name === 'queue') };
    };
    try {
      await waitFor(async () => (await look()).status === 200, { what: 'readiness' });
      await redis.command('CONFIG SET maxmemory 1mb');
      await redis.command('DEBUG POPULATE 20000 filler');
      expect(await look()).toMatchObject({
        status: 503,
        queue: { ok: false, detail: expect.stringContaining('OOM') },
      });
      await redis.command('CONFIG SET maxmemory 0');
      await waitFor(async () => (await look()).status === 200, { what: 'readiness' });
      await redis.command('REPLICAOF 127.0.0.1 1');
      expect(await look()).toMatchObject({
        status: 503,
        queue: { detail: expect.stringContaining('READONLY') },
      });
    } finally {
      await other.close();
      await redis.stop();
    }
  });
});

it('is not ready while its database takes no writes', async () => {
  const other = await startTestGateway();
  try {
    const { rows } = await other.pool.query<{ name: string }>('select current_database() as name');
    await other.pool.query(`alter database "${rows[0]?.name}" set default_transaction_read_only = on`);
    // It holds for the connections that are made from then on.
    await other.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await other.pool.query('set default_transaction_read_only = on');
    const isRefused = async (): Promise<boolean> => {
      const response = await other.call('/readyz', { key: null });
      const { checks } = Readiness.parse(await response.json());
      return checks.some(
        ({ name, ok, detail }) => name === 'postgres' && !ok && detail.includes('not accept writes'),
      );
    };
    await waitFor(isRefused, { what: 'a gateway that is not ready' });
  } finally {
    await other.close();
  }
});

describe('the state of the installation', () => {
  it('shows workers that live, tasks by state and repairs', async () => {
    await bullpen.post('/v1/tasks', { prompt: 'x' });
    const worker = {
      id: 'worker_a',
      host: 'h',
      pid: 1,
      slots: 8,
      version: '0',
      simulated: true,
      sandbox: 'podman',
    };
    await bullpen.prisma.worker.createMany({
      data: [
        worker,
        { ...worker, id: 'worker_gone', seenAt: new Date(Date.now() - 120_000) },
        { ...worker, id: 'worker_stopped', stoppedAt: new Date() },
      ],
    });
    await bullpen.prisma.repair.create({ data: { kind: 'expired_lease', count: 2n } });
    const info = SystemInfo.parse(await (await bullpen.call('/v1/system')).json());
    expect(info).toMatchObject({
      queueBackend: 'postgres',
      workspacePaths: 'any',
      repairs: { expired_lease: 2 },
      tasks: { queued: 1 },
    });
    expect(info.workers).toMatchObject([{ id: 'worker_a', sandbox: 'podman' }]);
    expect(info.model.simulated).toBe(true);
  });
});

describe('the API reference', () => {
  it('is a valid OpenAPI 3.1 document that names every route, with its answers and problems', async () => {
    const document = (await (await bullpen.call('/openapi.json', { key: null })).json()) as {
      openapi: string;
      paths: Record<string, Record<string, { responses: Record<string, unknown>; security?: unknown[] }>>;
      components: { schemas: Record<string, unknown>; securitySchemes: unknown };
    };
    expect(document.openapi).toBe('3.1.0');
    const validation = await new Validator().validate(structuredClone(document));
    expect(validation).toMatchObject({ valid: true });
    for (const { method, url, isPublic } of bullpen.gateway.routes.routes.filter((route) =>
      /^\/(v1|healthz|readyz)/.test(route.url),
    )) {
      const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect([url, operation === undefined]).toEqual([url, false]);
      const statuses = Object.keys(operation?.responses ?? {});
      expect([url, statuses.some((status) => status.startsWith('2'))]).toEqual([url, true]);
      // A code or the token of a link opens these.
      const opens = url === '/v1/sessions' || url.startsWith('/v1/shared');
      expect([url, statuses.includes('401')]).toEqual([url, !isPublic || opens]);
      expect([url, operation?.security]).toEqual([url, isPublic ? [] : undefined]);
    }
    for (const name of ['Task', 'CreateTask', 'TaskPage', 'Problem', 'EventPage', 'UsageReport'])
      expect([name, name in document.components.schemas]).toEqual([name, true]);
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(refs.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  it('lists the fields of a query as parameters', async () => {
    const document = (await (await bullpen.call('/openapi.json', { key: null })).json()) as {
      paths: Record<
        string,
        Record<string, { parameters?: { name: string; in: string }[]; requestBody?: unknown }>
      >;
    };
    const names = document.paths['/v1/tasks']?.['get']?.parameters?.map((parameter) => parameter.name);
    expect(names).toEqual(expect.arrayContaining(['limit', 'after', 'state', 'agent', 'tag', 'q']));
    expect(JSON.stringify(document.paths['/v1/tasks']?.['post']?.requestBody)).toContain(
      '#/components/schemas/CreateTask',
    );
    expect(JSON.stringify(document.paths['/v1/tasks']?.['post']?.parameters)).toContain('Idempotency-Key');
  });

  it('is rendered by a page that needs no other host', async () => {
    const page = await (await bullpen.call('/docs', { key: null })).text();
    const sources = [...page.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map((match) => match[1] ?? '')
      .filter((url) => url !== 'data:,');
    expect(sources).toHaveLength(3);
    for (const url of sources) {
      expect(url.startsWith('/')).toBe(true);
      expect([url, (await bullpen.call(url, { key: null })).status]).toEqual([url, 200]);
    }
    expect((await bullpen.call('/docs/assets/package.json', { key: null })).status).toBe(404);
  });
});

describe('work modes', () => {
  it('are listed with their rules, and suggested for a text as everywhere else', async () => {
    const { data } = ModeList.parse(await (await bullpen.call('/v1/modes')).json());
    expect(data.find(({ name }) => name === 'git_workflow')).toMatchObject({
      rules: expect.arrayContaining([expect.objectContaining({ on: 'committed', to: 'idle' })]),
    });
    for (const { text } of [...ENGLISH_PROMPTS, ...KOREAN_PROMPTS, ...SPOKEN_PROMPTS].filter(
      (_prompt, at) => at % 20 === 0,
    )) {
      const response = await bullpen.post('/v1/modes/suggest', { text });
      expect(ModeSuggestion.parse(await response.json())).toEqual(suggestMode(text));
    }
  });
});
