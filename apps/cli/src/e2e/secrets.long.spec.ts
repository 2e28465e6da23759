/**
 * Values that nobody may see, on their way through everything: a command prints them in many forms, a person writes one, an agent
 * names it. Real gateway, worker, commands and webhooks; then everything that came out anywhere is searched.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type BullpenClient } from '@bullpen/client';
import { createPool } from '@bullpen/store';
import { defineScenario, startModelSim, type AgentTurn, type ModelSim } from '@bullpen/model-sim';
import {
  assertNoProcessLeft,
  secretTraces,
  startProcess,
  testDatabase,
  waitFor,
  type TestDatabase,
  type TestProcess,
} from '@bullpen/testing';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const BIN = join(ROOT, 'apps/cli/bin/bullpen.js');

const TOKEN = 'tok_9fK2mQ7xV4bN8cL1zR5tY3wE';
const ODD = 'p%25a"b\\c d&é-Zq7!';
const KEY_FILE = ['{', '  "a": 1,', '  "key": "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"', '}'].join('\n');
const PROVIDER_KEY = 'sk-ant-canary-4h8sJd7Kq2Lw9Xz';
const VALUES = { TOKEN, ODD, KEY_FILE, PROVIDER_KEY };

/** What a command can do to a file without knowing what is in it. */
const COMMANDS = [
  'cat values/*',
  'for f in values/*; do base64 -w 0 $f; echo; base64 -w 10 $f; (printf usr:; cat $f) | base64; done',
  'set -x; v=$(cat values/ODD); echo "$v"; printf "%q\\n" "$v"; (echo "$v") >&2',
  'for f in values/*; do od -An -v -tx1 $f | tr -d " \\n"; echo; done',
  'while read -rn1 c; do printf "%s" "$c"; sleep 0.02; done < values/TOKEN; echo; head -c 14 values/TOKEN; tail -c +15 values/TOKEN >&2',
  'grep --color=always 9fK values/TOKEN; cat values/TOKEN values/no-such-file; exit 3',
];

const calls = [
  ...COMMANDS.map((command) => ({ name: 'run_command', input: { command } })),
  { name: 'read_file', input: { path: 'values/ODD' } },
  { name: 'read_file', input: { path: 'values/KEY_FILE' } },
  { name: 'search_files', input: { pattern: 'tok_|MII' } },
  { name: 'write_file', input: { path: 'written.txt', content: `token=${TOKEN}\n` } },
  { name: 'write_file', input: { path: 'masked.txt', content: 'token=[secret TOKEN]\n' } },
];

const scenario = defineScenario({
  name: 'secrets',
  agents: {
    general: ({ turnIndex, allToolResults }: AgentTurn) => {
      const call = calls[turnIndex];
      if (call)
        return {
          text: `Turn ${turnIndex} with ${TOKEN}.`,
          thinking: `I think of ${TOKEN}.`,
          toolCalls: [call],
        };
      return { text: `Done with ${TOKEN}, ${PROVIDER_KEY}: ${allToolResults.at(-1)?.text}` };
    },
  },
});

describe('values that nobody may see', () => {
  let database: TestDatabase;
  let sim: ModelSim;
  let receiver: Server;
  let temp: string;
  let client: BullpenClient;
  let url: string;
  let apiKey: string;
  let gateway: TestProcess;
  let worker: TestProcess;
  let taskId: string;
  /** By where it came out. */
  const seen = new Map<string, string>();
  const note = (where: string, text: string) => seen.set(where, (seen.get(where) ?? '') + text);

  beforeAll(async () => {
    [database, sim, temp] = await Promise.all([
      testDatabase(),
      startModelSim({ scenarios: [scenario], speed: 'max' }),
      mkdtemp(join(tmpdir(), 'bullpen-secrets-')),
    ]);
    await chmod(temp, 0o755);
    mkdirSync(join(temp, 'project/values'), { recursive: true });
    await chmod(join(temp, 'project'), 0o777);
    for (const [name, value] of Object.entries(VALUES))
      writeFileSync(join(temp, 'project/values', name), value);
    receiver = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => note('webhooks', chunk.toString()));
      request.on('end', () => response.end(`thanks for ${TOKEN}`));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    const home = join(temp, 'home');
    const { PROVIDER_KEY: _, ...named } = VALUES;
    const start = (app: 'gateway' | 'worker', more: Record<string, string>): TestProcess =>
      startProcess(join(ROOT, `apps/${app}/dist/main.js`), {
        name: app,
        env: {
          ...{ DATABASE_URL: database.url, REDIS_URL: '', BULLPEN_HOME: home, PORT: '0', LOG_LEVEL: 'trace' },
          ...{ ANTHROPIC_BASE_URL: sim.url, WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8' },
          ...more,
        },
      });
    gateway = start('gateway', { SECRET_VALUES: JSON.stringify(VALUES) });
    const [, port] = await gateway.waitForOutput(/"port":(\d+)/, 60_000);
    url = `http://127.0.0.1:${port}`;
    apiKey = readFileSync(join(home, 'key'), 'utf8').trim();
    client = createClient({ baseUrl: url, apiKey });
    worker = start('worker', { ANTHROPIC_API_KEY: PROVIDER_KEY, SECRET_VALUES: JSON.stringify(named) });
    await worker.waitForOutput('worker is ready', 60_000);
  });

  afterAll(async () => {
    await worker.stop();
    await gateway.stop();
    receiver.close();
    await assertNoProcessLeft();
    await Promise.all([database.drop(), sim.close(), rm(temp, { recursive: true, force: true })]);
  });

  async function get(path: string): Promise<string> {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    const text = await response.text();
    note(`GET ${path}`, text);
    return text;
  }

  async function watch(path: string): Promise<void> {
    const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? [])
      note('stream', decoder.decode(chunk as Uint8Array, { stream: true }));
  }

  async function approveAll(): Promise<void> {
    await waitFor(
      async () => {
        for (const { id } of (await client.interactions.list({ taskId })).data) {
          await get(`/v1/interactions/${id}`);
          await client.interactions.answer(id, { decision: 'approve' }).catch(() => undefined);
        }
        return ['completed', 'failed'].includes((await client.tasks.get(taskId)).state);
      },
      { what: 'the end of the task', timeoutMs: 90_000 },
    );
  }

  it('come out nowhere', async () => {
    const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${TOKEN}`;
    const { id: webhookId } = await client.webhooks.create({ url: hook });
    const task = await client.tasks.create({
      agent: 'general',
      title: `Use ${TOKEN} and ${PROVIDER_KEY}`,
      prompt: `Log in with ${TOKEN} and ${ODD}`,
      autonomy: 'agent',
      workspace: { kind: 'path', path: join(temp, 'project') },
    });
    taskId = task.id;
    const watching = watch(`/v1/tasks/${taskId}/stream`);
    await approveAll();
    await watching;

    const callsMade = JSON.parse(await get(`/v1/tasks/${taskId}/tool-calls`)) as { data: { id: string }[] };
    for (const { id } of callsMade.data) await get(`/v1/tasks/${taskId}/tool-calls/${id}/output`);
    for (const part of [
      '',
      '/tree',
      '/attempts',
      '/model-calls',
      '/messages',
      '/history/api',
      '/history/ui',
      '/events',
      '/usage',
    ])
      await get(`/v1/tasks/${taskId}${part}`);
    for (const path of [
      'tasks',
      'failures',
      'interactions',
      'usage',
      'system',
      'webhooks',
      'providers',
      'stream?after=x',
    ])
      await get(`/v1/${path}`);
    await waitFor(() => (seen.get('webhooks') ?? '').includes('task.completed'), {
      what: 'the webhook',
    });
    const deliveries = JSON.parse(await get(`/v1/webhooks/${webhookId}/deliveries`)) as {
      data: { id: string }[];
    };
    for (const { id } of deliveries.data) await get(`/v1/webhooks/deliveries/${id}`);

    const ran = JSON.parse(await get(`/v1/tasks/${taskId}/processes`)) as { data: { id: string }[] };
    expect(ran.data).toHaveLength(COMMANDS.length);
    for (const { id } of ran.data) {
      for (const from of [0, 7, 15]) await get(`/v1/processes/${id}/output?from=${from}`);
      const raw = JSON.parse(await get(`/v1/processes/${id}/output?encoding=base64`)) as { data: string };
      note('raw output', Buffer.from(raw.data, 'base64').toString());
    }

    const env = { BULLPEN_URL: url, BULLPEN_API_KEY: apiKey, BULLPEN_HOME: join(temp, 'home') };
    for (const args of [
      ['export', taskId],
      ['export', taskId, '--format', 'json'],
      ['show', taskId],
      ['logs', taskId],
      ['list'],
    ]) {
      const run = startProcess(BIN, { name: 'bullpen', args: ['tasks', ...args], cwd: temp, env });
      await run.ended;
      note(`bullpen tasks ${args[0]}`, run.output);
    }
    note('log of the gateway', gateway.output);
    note('log of the worker', worker.output);

    const pool = createPool({ databaseUrl: database.url, applicationName: 'secrets' });
    const stored = [
      `SELECT output, full_output, approval FROM tool_calls`,
      `SELECT title, payload FROM interactions`,
      `SELECT data FROM ui_events WHERE type NOT IN ('task.created', 'message.user')`,
      `SELECT output, failure FROM tasks`,
      `SELECT content FROM api_messages WHERE role = 'user' AND seq > 1`,
      `SELECT response FROM webhook_attempts`,
    ];
    for (const query of stored) note(query, JSON.stringify((await pool.query(query)).rows));
    await pool.end();

    const traces = [...seen].flatMap(([where, text]) =>
      Object.entries(VALUES).flatMap(([name, value]) => {
        const found = secretTraces(text, name === 'KEY_FILE' ? 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC' : value);
        return found.length > 0 ? [{ where, name, found: found.slice(0, 3) }] : [];
      }),
    );
    expect(traces).toEqual([]);
    for (const name of Object.keys(VALUES)) expect([...seen.values()].join('')).toContain(`[secret ${name}]`);
  }, 180_000);

  it('are in a file where the agent was meant to write one, and their masks in none', async () => {
    const workspace = join(temp, 'home/workspaces', taskId);
    expect(readFileSync(join(workspace, 'written.txt'), 'utf8')).toBe(`token=${TOKEN}\n`);
    expect(() => readFileSync(join(workspace, 'masked.txt'))).toThrow('ENOENT');
    expect(await get(`/v1/tasks/${taskId}/history/api`)).toContain('stands for a secret value');
  });
});
