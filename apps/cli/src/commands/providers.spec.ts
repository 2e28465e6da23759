import { aStory, ROOT } from '@bullpen/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderKeyView, TaskEvent } from '@bullpen/contracts';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (args: string[], env: Record<string, string> = {}): Promise<RunResult> =>
  runCli(args, { env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1', ...env } });

const OPEN: ProviderKeyView = {
  id: '00112233445566aa',
  endpoint: 'https://one.example',
  state: 'open',
  errorClass: null,
  message: null,
  since: null,
  pausedUntil: null,
  pausedModels: [],
  waitingTasks: 0,
  workers: 2,
};
const PARKED: ProviderKeyView = {
  ...OPEN,
  id: '00112233445566bb',
  state: 'parked',
  errorClass: 'authentication',
  message: 'invalid \u001b[2Jx-api-key',
  since: '2026-01-01T00:00:00.000Z',
  waitingTasks: 3,
};
const PAUSED: ProviderKeyView = {
  ...OPEN,
  id: '00112233445566cc',
  state: 'paused',
  errorClass: 'rate_limit',
  pausedUntil: '2026-01-01T00:02:00.000Z',
  pausedModels: ['claude-opus-5-5'],
};

describe('providers', () => {
  it('shows how each key stands and why, safely, and says what to do', async () => {
    gateway.providers = [OPEN, PARKED, PAUSED];
    const { out, err } = await run(['providers', 'list']);
    expect(out).toMatch(/00112233445566aa +open /);
    expect(out).toMatch(/00112233445566bb +parked +1m +3 +2 +https:/);
    expect(out).toContain('00112233445566bb is parked: invalid x-api-key (authentication)');
    expect(out).toContain(
      '00112233445566cc is paused until 2026-01-01T00:02:00.000Z for claude-opus-5-5: rate_limit',
    );
    expect(err).toContain('bullpen providers resume');
    expect(JSON.parse((await run(['providers', '--json'])).out)).toEqual({ data: [OPEN, PARKED, PAUSED] });
  });

  it('resumes the only one that is parked, or the one that is named', async () => {
    gateway.providers = [OPEN, PARKED, PAUSED];
    expect(await run(['providers', 'resume'])).toEqual({ code: 0, out: '', err: `${PARKED.id} is open\n` });
    const named = await run(['providers', 'resume', PAUSED.id, '--json']);
    expect(JSON.parse(named.out)).toMatchObject({ id: PAUSED.id, state: 'open' });
    expect(gateway.requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual(
      [PARKED, PAUSED].map(({ id }) => `/v1/providers/${id}/resume`),
    );
  });

  it('does not guess which one is meant', async () => {
    gateway.providers = [PARKED, { ...PARKED, id: 'ffffffffffffffff' }];
    const { code, err } = await run(['providers', 'resume']);
    expect([code, err]).toEqual([2, expect.stringContaining(`${PARKED.id}, ffffffffffffffff`)]);
    gateway.providers = [OPEN];
    expect((await run(['providers', 'resume'])).err).toContain('No key is parked or paused.');
    expect(gateway.requests.some(({ method }) => method === 'POST')).toBe(false);
  });
});

describe('what a task waits for', () => {
  const story = aStory();
  const waiting = (message: string): TaskEvent => ({
    ...story.state(ROOT, 'running', 'waiting'),
    type: 'provider.waiting',
    data: { errorClass: 'billing', message, delayMs: null },
  });

  it('stands in its details, and the list has a hint', async () => {
    gateway.task = aTaskView({ state: 'waiting', waitReason: 'provider', stopCause: null, eventSeq: 60 });
    gateway.streams = [[waiting('Old.'), waiting('Your credit balance is too low.')]];
    const shown = await run(['tasks', 'show', ROOT]);
    expect(shown.out).toMatch(
      /Waits for +Your credit balance is too low\. \(billing\) · see: bullpen providers list/,
    );
    expect(gateway.requests.map(({ path }) => path)).toContain(`/v1/tasks/${ROOT}/events?after=10&limit=50`);
    expect((await run(['tasks', 'list'])).err).toContain('bullpen providers list');
  });

  it('is told with the time when it goes on by itself', async () => {
    const dueAt = '2026-01-01T00:02:00.000Z';
    gateway.task = aTaskView({ state: 'waiting', waitReason: 'backoff', stopCause: null, dueAt });
    gateway.streams = [[waiting('The provider asked for a pause.')]];
    const { out } = await run(['tasks', 'show', ROOT]);
    expect(out).toContain(`The provider asked for a pause. (billing) · goes on at ${dueAt}`);
  });
});

describe('run, when the provider refuses the key', () => {
  const CHILD = `task_${'1'.repeat(26)}`;
  const refused = (taskId: string, story = aStory()) => [
    story.created(ROOT, 'Root'),
    ...(taskId === ROOT
      ? []
      : [story.created(taskId, 'Child'), story.state(ROOT, 'running', 'waiting', { reason: 'children' })]),
    story.tell(taskId, {
      type: 'provider.waiting',
      data: { errorClass: 'authentication', message: 'invalid x-api-key', delayMs: null },
    }),
    story.state(taskId, 'running', 'waiting', { reason: 'provider' }),
  ];
  beforeEach(() => {
    gateway.keepOpen = true;
    gateway.answers.set('/v1/interactions', { data: [], nextCursor: null, hasMore: false });
    gateway.task = aTaskView({ state: 'waiting', waitReason: 'provider', stopCause: null });
  });

  it('ends at once as data: what waits, why, and what to do', async () => {
    gateway.streams = [refused(ROOT)];
    const { code, out } = await run(['run', 'x', '--json']);
    expect(code).toBe(4);
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'waiting',
      waitReason: 'provider',
      taskId: ROOT,
      provider: {
        taskId: ROOT,
        errorClass: 'authentication',
        message: 'invalid x-api-key',
        next: [
          expect.stringContaining('bullpen providers resume'),
          expect.stringContaining('ANTHROPIC_API_KEY'),
        ],
      },
    });
  });

  it('ends at once without a terminal, also when it is a subtask that waits', async () => {
    gateway.streams = [refused(CHILD)];
    const { code, err } = await run(['run', 'x']);
    expect(code).toBe(4);
    expect(err).toContain('the model provider refused the key: invalid x-api-key (authentication)');
    expect(err).toContain('next: bullpen providers resume');
    expect(err).toContain('or: give the workers another ANTHROPIC_API_KEY');
    expect(err.match(/invalid x-api-key/g)).toHaveLength(1);
  });

  it('goes on when somebody resumed the key meanwhile', async () => {
    const story = aStory();
    gateway.streams = [
      [
        ...refused(ROOT, story),
        story.state(ROOT, 'waiting', 'queued'),
        story.state(ROOT, 'running', 'completed', { cause: 'goal' }),
      ],
    ];
    gateway.task = aTaskView({ state: 'completed', stopCause: 'goal' });
    expect((await run(['run', 'x'])).code).toBe(0);
  });
});

describe('doctor', () => {
  const keyChecks = async () => {
    const { out } = await run(['doctor', '--json'], { BULLPEN_HOME: '/nonexistent', PORT: '0' });
    const { checks } = JSON.parse(out) as {
      checks: { name: string; status: string; proof: string; fix?: string }[];
    };
    return checks.filter(({ name }) => name === 'Provider key');
  };

  it('fails for a parked key that is in use, with the words of the provider and what to do', async () => {
    gateway.providers = [OPEN, PARKED, PAUSED, { ...PARKED, workers: 0, waitingTasks: 0 }];
    const checks = await keyChecks();
    expect(checks.map(({ status }) => status)).toEqual(['ok', 'fail', 'info', 'warn']);
    expect(checks[1]).toMatchObject({
      proof: expect.stringContaining('is parked: invalid x-api-key; 3 tasks wait for it'),
      fix: expect.stringContaining(`bullpen providers resume ${PARKED.id}`),
    });
  });
});
