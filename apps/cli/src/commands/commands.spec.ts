import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { aStory, ROOT, waitFor } from '@bullpen/testing';
import type { TaskView } from '@bullpen/contracts';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunOptions, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (args: string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(args, { ...options, env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1', ...options.env } });
const EXAMPLE_CALL = {
  ...{ turn: 1, attempt: 1, phase: 'work', profile: 'p', model: 'm', status: 'done', requestHash: 'h' },
  ...{ requestMessages: 1, context: null, usage: null, costUsd: null, firstByteMs: 1, firstTextMs: 1 },
  ...{ durationMs: 1, providerRequestId: null, stopReason: null, errorClass: null, errorMessage: null },
  ...{ retryDelayMs: null, startedAt: '2026-01-01T00:00:00.000Z', endedAt: null },
};
const json = (result: RunResult): unknown => JSON.parse(result.out);

describe('submit', () => {
  it('prints the id and nothing else, and sends what the flags say', async () => {
    const flags =
      '--agent explorer --model m --allow write,subtasks --budget $2.50 --turns 9 --tag a --tag b --title T --priority -5 --allow-host Registry.npmjs.org --allow-host *.pypi.org:8443';
    const result = await run(['submit', 'Do it', '--dir', '/tmp', '--in-place', ...flags.split(' ')]);
    expect(result).toEqual({ code: 0, out: `${ROOT}\n`, err: '' });
    const url = 'https://github.com/acme/shop.git';
    await run(['submit', 'Do it', '--git', url, '--ref', 'v1', '--setup', 'npm ci']);
    await run(['submit', 'Do it', '--setup', 'npm init -y']);
    expect(gateway.requests.slice(1)).toMatchObject([
      { body: { workspace: { kind: 'git', url, ref: 'v1', setup: 'npm ci' } } },
      { body: { workspace: { kind: 'empty', setup: 'npm init -y' } } },
    ]);
    expect(gateway.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/tasks',
      key: 'Bearer k1',
      body: {
        prompt: 'Do it',
        agent: 'explorer',
        model: 'm',
        title: 'T',
        priority: -5,
        workspace: { kind: 'path', path: '/tmp', copy: false },
        approvals: { alwaysAllowWrite: true, alwaysAllowSubtasks: true },
        limits: { costUsd: '2.50', turns: 9 },
        rules: { network: { allow: ['registry.npmjs.org', '*.pypi.org:8443'] } },
        tags: ['a', 'b'],
      },
    });
  });

  it('leaves a cost limit out when told so, and takes no other word for one', async () => {
    await run(['submit', 'x', '--budget', 'none']);
    await run(['retry', ROOT, '--budget', 'none']);
    for (const { body } of gateway.requests) expect(body).toMatchObject({ limits: { costUsd: null } });
    expect((await run(['submit', 'x', '--budget', 'much'])).code).toBe(2);
  });

  it('sends no number that would be another one, from wherever it comes', async () => {
    const order = '{"orderId": 7203685477580719301}';
    for (const [words, options] of [
      [['submit', '--input', order], {}],
      [['submit', '--input', '-'], { stdin: order }],
      [['tasks', 'import', '-'], { stdin: order }],
    ] as const)
      expect(await run([...words], options)).toMatchObject({
        ...{ code: 2, err: expect.stringContaining('7203685477580719301 cannot be kept exactly') },
      });
    expect(gateway.requests).toEqual([]);
  });

  it('takes the prompt or the input from stdin', async () => {
    await run(['submit', '-'], { stdin: 'From a file\n' });
    await run(['submit', '--input', '-', '--output-schema', '{"type":"object"}'], { stdin: '{"issue":7}' });
    expect(gateway.requests.map((request) => request.body)).toEqual([
      { prompt: 'From a file\n', tags: [] },
      { input: { issue: 7 }, outputSchema: { type: 'object' }, tags: [] },
    ]);
  });

  it('tells what the gateway refuses: detail, fields, next actions, exit code', async () => {
    gateway.problems.set('POST /v1/tasks', {
      status: 422,
      code: 'unknown_agent',
      detail: 'There is no agent "x".',
      errors: [{ pointer: '/agent', detail: 'did you mean "explorer"?' }],
      nextActions: [{ action: 'agent.list', text: 'List the agents.' }],
    });
    const result = await run(['submit', 'x', '--agent', 'x']);
    expect(result).toEqual({
      code: 2,
      out: '',
      err: 'error: There is no agent "x".\n  /agent: did you mean "explorer"?\nnext: list the agents, with their tools and input schemas: bullpen agents\n',
    });
    const machine = await run(['submit', 'x', '--json']);
    expect(json(machine)).toMatchObject({ error: { code: 'unknown_agent', status: 422, exitCode: 2 } });
  });
});

describe('send', () => {
  it('says when the message is read, and that an ended task goes on with it in a new attempt', async () => {
    gateway.task = aTaskView({ state: 'running', stopCause: null });
    expect((await run(['send', ROOT, 'Hurry.'])).err).toContain('reads it before its next turn');
    gateway.task = aTaskView({ state: 'failed', attempt: 2 });
    const { err } = await run(['send', ROOT, 'Once more.', '--turns', '9', '--tokens', '1000']);
    expect(err).toContain(`${ROOT} had ended and goes on with it: attempt 3 begins.`);
    expect(gateway.requests.at(-1)?.body).toEqual({ text: 'Once more.', limits: { turns: 9, tokens: 1000 } });
  });
});

describe('run', () => {
  const aRun = () => {
    const story = aStory();
    return [
      story.created(ROOT, 'Root'),
      story.state(ROOT, 'queued', 'running'),
      story.piece(ROOT, 'Let me ', 0),
      story.says(ROOT, 'Let me look.'),
      story.calls(ROOT, 'read_file', { path: 'a.ts' }),
      story.state(ROOT, 'running', 'completed', { cause: 'goal' }),
    ];
  };

  it('shows what happens on stderr and gives the output on stdout', async () => {
    gateway.streams = [aRun()];
    gateway.task = aTaskView({ output: { result: 'It is \u001b[2Ja build.' } });
    const result = await run(['run', 'x']);
    expect([result.code, result.out]).toEqual([0, 'It is a build.\n']);
    expect(result.err).toBe(
      `${ROOT} · general · claude-test\nLet me look.\n→ read_file a.ts\n\n` +
        '✓ completed  4 turns · 1.2k in, 80 out · $0.0123 · 12 s\n  workspace: /home/workspaces/1\n',
    );
  });

  it('says at its end what changed and how to take it, as data with --json, and nothing when nothing did', async () => {
    const list = [{ path: 'a.ts', status: 'changed', insertions: 12, deletions: 4 }];
    const diffstat = { files: 3, insertions: 12, deletions: 4, list };
    const path = `/v1/tasks/${ROOT}/diff`;
    const last = async (workspace: TaskView['workspace']) => {
      gateway.streams = [aRun()];
      gateway.task = aTaskView({ workspace });
      return (await run(['run', 'x'])).err.trimEnd().split('\n').at(-1);
    };
    const copy = { kind: 'path', path: '/srv/shop', copy: true } as const;
    expect(await last(copy)).toBe('  workspace: /home/workspaces/1');
    gateway.answers.set(path, { from: 'ckpt_1', to: 'ckpt_2', diffstat });
    const changed = `  3 files changed, +12 -4: bullpen tasks diff ${ROOT}`;
    expect(await last(copy)).toBe(`${changed} · bullpen apply ${ROOT}`);
    expect(await last({ ...copy, copy: false })).toBe(changed);
    expect(await last({ kind: 'empty' })).toBe(`${changed} · bullpen apply ${ROOT} --to DIR`);
    const whole = await run(['run', '--continue', ROOT, 'more', '--json']);
    expect(json(whole)).toMatchObject({ changes: diffstat });
    const refused = { status: 503, code: 'checkpoint_unavailable', detail: 'There is no git here.' };
    gateway.problems.set(`GET ${path}`, refused);
    expect(await last(copy)).toBe('  what it changed cannot be said: There is no git here.');
    gateway.problems.clear();
    gateway.answers.delete(path);
    expect(json(await run(['run', 'x', '--json']))).toMatchObject({ changes: null });
  });

  it('goes on where it was when the connection breaks', async () => {
    const events = aRun();
    gateway.streams = [events.slice(0, 4), events.slice(4)];
    const result = await run(['run', 'x']);
    expect(result.code).toBe(0);
    expect(result.err.match(/Let me look/g)).toHaveLength(1);
    expect(result.err).toContain('read_file');
  });

  it.each([
    ['completed', 'goal', 0],
    ['failed', 'error', 3],
    ['cancelled', 'cancelled', 3],
    ['failed', 'partial', 3],
    ['failed', 'blocked', 3],
    ['failed', 'turn_limit', 8],
  ] as const)('ends with the code of the outcome: %s (%s) is %i', async (state, stopCause, code) => {
    gateway.streams = [[aStory().state(ROOT, 'running', state, { cause: stopCause })]];
    gateway.task = aTaskView({ state, stopCause });
    const result = await run(['run', 'x', '--json']);
    expect(result.code).toBe(code);
    expect(json(result)).toMatchObject({
      outcome: state,
      stopCause,
      taskId: ROOT,
      usage: { costUsd: '0.0123' },
      turns: 4,
    });
  });

  it('says of a task that did only a part what is missing, that the output is a part, and how to help it on', async () => {
    const failure = { cause: 'partial', code: 'partial', message: 'Missing: the tests' } as const;
    gateway.streams = [[aStory().state(ROOT, 'running', 'failed', { cause: 'partial' })]];
    gateway.task = aTaskView({
      state: 'failed',
      stopCause: 'partial',
      failure,
      output: 'Half.',
      partial: true,
    });
    const { out, err } = await run(['run', 'x']);
    expect(out).toBe('Half.\n');
    expect(err).toMatch(/✗ failed \(partial\)[^]*Missing: the tests[^]*the task did not reach its goal/);
    expect(err).toContain(`next: help it along: bullpen retry ${ROOT} --message`);
  });

  it('leaves the task alone with --detach', async () => {
    expect(await run(['run', 'x', '--detach'])).toEqual({ code: 0, out: `${ROOT}\n`, err: '' });
    expect(gateway.requests).toHaveLength(1);
  });

  it('leaves the task running at the first Ctrl-C and says how to come back', async () => {
    let press: (times: number) => void = () => undefined;
    gateway.keepOpen = true;
    gateway.streams = [[aStory().created(ROOT, 'Root')]];
    gateway.onSent = () => press(1);
    const result = await run(['run', 'x'], { onInterrupt: (it) => (press = it) });
    expect(result.code).toBe(130);
    expect(result.err).toContain(`next: watch it again: bullpen tasks watch ${ROOT}`);
    expect(gateway.requests.some((request) => request.path.endsWith('/cancel'))).toBe(false);
  });

  it('cancels the task at the second Ctrl-C', async () => {
    let press: (times: number) => void = () => undefined;
    const story = aStory();
    gateway.keepOpen = true;
    gateway.task = aTaskView({ state: 'cancelled', stopCause: 'cancelled' });
    gateway.streams = [
      [story.created(ROOT, 'Root'), story.state(ROOT, 'queued', 'running')],
      [story.state(ROOT, 'running', 'cancelled', { cause: 'cancelled' })],
    ];
    gateway.onSent = (item) => {
      if (item.type !== 'task.status_changed' || item.data.to !== 'running') return;
      press(1);
      press(2);
      gateway.keepOpen = false;
    };
    const result = await run(['run', 'x'], { onInterrupt: (it) => (press = it) });
    expect(result.code).toBe(3);
    expect(gateway.requests.some((request) => request.path === `/v1/tasks/${ROOT}/cancel`)).toBe(true);
  });
});

describe('chat', () => {
  it('interrupts the answer at a Ctrl-C that comes while the message is still on its way', async () => {
    let press: (times: number) => void = () => undefined;
    const story = aStory();
    gateway.keepOpen = true;
    gateway.task = aTaskView({ state: 'queued', eventSeq: 1 });
    gateway.streams = [
      [
        story.created(ROOT, 'Root'),
        story.state(ROOT, 'queued', 'running'),
        story.state(ROOT, 'running', 'paused'),
      ],
    ];
    gateway.onRequest = (method, path) => {
      if (method === 'POST' && path === '/v1/tasks') press(1);
    };
    const { err } = await run(['chat'], { stdin: 'Hello\n', onInterrupt: (it) => (press = it) });
    const pause = `/v1/tasks/${ROOT}/pause`;
    await waitFor(() => gateway.requests.some(({ path }) => path === pause), { what: 'the interrupt' });
    expect(err).toContain('Interrupted. The agent goes on with your next message.');
  });
});

describe('tasks', () => {
  it('lists roots as a table, or all that the filters say as JSON', async () => {
    const table = await run(['tasks', 'list']);
    expect(table.out).toBe(
      'ID                               STATE      TITLE              AGENT    AGE  TURNS     COST\n' +
        `${ROOT}  completed  Explain the build  general   1m      4  $0.0123\n`,
    );
    const all = await run([
      'tasks',
      'list',
      '--json',
      '--state',
      'failed,running',
      '--tag',
      't',
      '--root',
      `task_${'r'.repeat(26)}`,
      '--limit',
      '3',
    ]);
    expect(json(all)).toMatchObject({ data: [{ id: ROOT }], hasMore: false });
    expect(gateway.requests.map((request) => request.path)).toEqual([
      '/v1/tasks?roots=true&limit=20',
      `/v1/tasks?state=failed%2Crunning&tag=t&rootId=task_${'r'.repeat(26)}&limit=3`,
    ]);
  });

  it('shows one, as text and as JSON', async () => {
    gateway.task = aTaskView({
      output: 'Fine.',
      tags: ['x'],
      todos: [{ text: 'Look', status: 'completed' }],
    });
    const { out } = await run(['tasks', 'show', ROOT]);
    for (const part of [
      '✓ Explain the build',
      'State        completed',
      'Output\n  Fine.',
      '☑ Look',
      'Tags         x',
    ])
      expect(out).toContain(part);
    expect(json(await run(['tasks', 'show', ROOT, '--json']))).toMatchObject({
      task: { id: ROOT },
      usage: { taskId: ROOT },
      attempts: [],
    });
  });

  it.each(['usage', 'attempts', 'briefing'])(
    'shows one of a gateway that has no %s, and says so',
    async (part) => {
      gateway.task = aTaskView({ output: 'Fine.' });
      const path = `/v1/tasks/${ROOT}/${part}`;
      gateway.problems.set(`GET ${path}`, { status: 404, code: 'not_found', detail: `There is no ${path}.` });
      const shown = await run(['tasks', 'show', ROOT]);
      expect(shown).toMatchObject({ code: 0, err: `without its ${part}: There is no ${path}.\n` });
      expect(shown.out).toContain('Output\n  Fine.');
      const data = json(await run(['tasks', 'show', ROOT, '--json']));
      expect(data).toMatchObject({ task: { id: ROOT }, [part]: null });
    },
  );

  it('gives the output of a run although the gateway cannot say what it has used or changed', async () => {
    gateway.task = aTaskView({ output: 'Fine.' });
    gateway.streams = [[aStory().state(ROOT, 'running', 'completed', { cause: 'goal' })]];
    for (const part of ['usage', 'diff'])
      gateway.problems.set(`GET /v1/tasks/${ROOT}/${part}`, { status: 500, code: 'internal_error' });
    const { code, out, err } = await run(['run', 'x']);
    expect([code, out]).toEqual([0, 'Fine.\n']);
    expect(err).toMatch(/without its usage: Refused\.[^]*what it changed cannot be said: Refused\./);
  });

  it('gives what the model calls of a task sent and got, one document a line, where that was kept', async () => {
    const path = `/v1/tasks/${ROOT}/model-calls`;
    const call = (id: string) => ({ ...EXAMPLE_CALL, id });
    gateway.answers.set(path, { data: [call('mcall_1'), call('mcall_2')], nextCursor: null, hasMore: false });
    const side = (text: string) => ({ bytes: 9_999, text });
    const bodies = {
      request: side('{"model":"m"}'),
      response: side('{"cut'),
      keptAt: '2026-01-01T00:00:00.000Z',
    };
    gateway.answers.set(`${path}/mcall_2/bodies`, { modelCallId: 'mcall_2', ...bodies });
    gateway.problems.set(`GET ${path}/mcall_1/bodies`, { status: 404, code: 'not_found' });
    const { out } = await run(['tasks', 'prompts', ROOT, '--bodies']);
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([{ callId: 'mcall_2', request: { model: 'm' }, response: '{"cut' }]);
    await run(['submit', 'x', '--keep-bodies']);
    expect(gateway.requests.at(-1)?.body).toMatchObject({ keepBodies: true });
  });

  it('says that there is none with exit code 5', async () => {
    gateway.problems.set('GET /v1/tasks/task_x', {
      status: 404,
      code: 'not_found',
      detail: 'There is no task task_x.',
    });
    expect(await run(['tasks', 'watch', 'task_x'])).toMatchObject({
      code: 5,
      err: 'error: There is no task task_x.\n',
    });
  });

  it('watches a tree line by line, and gives the events as JSON Lines', async () => {
    const story = aStory();
    gateway.streams = [
      [
        story.created(ROOT, 'Root'),
        story.state(ROOT, 'queued', 'running'),
        story.state(ROOT, 'running', 'completed', { cause: 'goal' }),
      ],
    ];
    const lines = await run(['tasks', 'watch', ROOT]);
    expect(lines.err).toContain('+1.0 s   ● Root  running\n+2.0 s   ✓ Root  completed  0 turns\n');
    const events = await run(['tasks', 'watch', ROOT, '--events']);
    expect(events.out.trim().split('\n').map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'task.created', 'task.status_changed', 'task.status_changed',
    ]); // prettier-ignore
    expect([lines.code, events.code]).toEqual([0, 0]);
  });

  it('prints logs, trees and exports', async () => {
    const story = aStory();
    gateway.streams = [[story.created(ROOT, 'Root'), story.says(ROOT, 'Hello')]];
    expect((await run(['tasks', 'logs', ROOT])).out).toBe('Root\ntester · claude-test\nHello\n');
    expect((await run(['tasks', 'logs', ROOT, '--json'])).out.trim().split('\n')).toHaveLength(2);
    expect((await run(['tasks', 'tree', ROOT])).out).toMatch(/✓ Explain the build .*\n1 task: 1 completed/);
  });

  it('exports what the server gives, without what would steer a terminal, and imports it again', async () => {
    const path = `/v1/tasks/${ROOT}/export`;
    gateway.answers.set(path, '\u001b]0;title\u0007# Explain');
    expect((await run(['tasks', 'export', ROOT])).out).toBe('# Explain\n');
    const document = { format: 'bullpen-task', version: 1, tasks: [] };
    gateway.answers.set(path, JSON.stringify(document));
    const exported = await run(['tasks', 'export', ROOT, '--format', 'json']);
    expect(json(exported)).toEqual(document);

    gateway.answers.set('/v1/tasks/import', gateway.task);
    const imported = await run(['tasks', 'import', '-'], { stdin: exported.out });
    expect(imported).toMatchObject({ code: 0, out: `${ROOT}\n` });
    expect(imported.err).toContain(`checkpoints fork ${ROOT}`);
    expect(gateway.requests.at(-1)?.body).toEqual(document);
    expect(json(await run(['tasks', 'import', '-', '--json'], { stdin: '{}' }))).toMatchObject({ id: ROOT });
    expect(await run(['tasks', 'import', 'missing.json'])).toMatchObject({ code: 2 });
    expect(await run(['tasks', 'import', '-'], { stdin: '{' })).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('is not JSON') },
    });
  });

  it('shows of an imported task that it is, and forks it', async () => {
    const times = { exportedAt: '2026-11-28T10:00:00.000Z', importedAt: '2026-11-28T11:00:00.000Z' };
    gateway.task = aTaskView({ importedFrom: { taskId: 'task_there', state: 'running', ...times } });
    expect((await run(['tasks', 'list'])).out).toContain('imported, completed');
    expect((await run(['tasks', 'show', ROOT])).out).toMatch(/from task_there.*as running/);
    gateway.answers.set(`/v1/tasks/${ROOT}/fork`, gateway.task);
    await run(['checkpoints', 'fork', ROOT, 'Go on.']);
    expect(gateway.requests.at(-1)).toMatchObject({
      ...{ path: `/v1/tasks/${ROOT}/fork`, body: { message: 'Go on.' } },
    });
  });
});

describe('the other commands', () => {
  it('cancel, message, usage, agents and open give one document with --json', async () => {
    expect(json(await run(['cancel', ROOT, '--reason', 'r', '--json']))).toMatchObject({ id: ROOT });
    expect(json(await run(['message', ROOT, '-', '--json'], { stdin: 'Stop' }))).toMatchObject({
      taskId: ROOT,
    });
    expect(json(await run(['usage', '--by', 'model', '--json']))).toMatchObject({
      total: { costUsd: '0.5' },
    });
    expect(json(await run(['usage', '--task', ROOT, '--json']))).toMatchObject({
      own: { costUsd: '0.0123' },
    });
    expect(json(await run(['agents', '--json']))).toEqual({ data: [] });
    expect(await run(['open'])).toMatchObject({ code: 0, out: 'http://127.0.0.1/login#code\n' });
    expect(gateway.requests[0]?.body).toEqual({ reason: 'r' });
    expect(gateway.requests[1]?.body).toEqual({ text: 'Stop' });
  });

  it('send, messages and rewind send what was asked and say what became of it', async () => {
    gateway.task = aTaskView({ state: 'running', stopCause: null });
    expect((await run(['send', ROOT, 'Not so', '--strategy', 'rollback'])).err).toContain(
      'drops its current turn',
    );
    const path = `/v1/tasks/${ROOT}/messages`;
    const at = new Date(0).toISOString();
    const base = { taskId: ROOT, createdAt: at, editedAt: null, withdrawnAt: null, deliveredAt: null };
    const data = [
      { ...base, id: 'inbox_1', text: 'read', deliveredAt: at },
      { ...base, id: 'inbox_00000000000000000000000002', text: 'unread', editedAt: at },
      { ...base, id: 'inbox_3', text: 'gone', withdrawnAt: at },
    ];
    gateway.answers.set(path, { data, nextCursor: null, hasMore: false });
    const table = (await run(['messages', ROOT])).out;
    expect(table).toMatch(
      /inbox_1 +delivered .*read\n.*inbox_00000000000000000000000002 +pending .*unread \(edited\)\n.*inbox_3 +withdrawn/,
    );
    expect(json(await run(['messages', ROOT, '--pending', '--json']))).toEqual({ data: [data[1]] });
    expect(
      (await run(['messages', 'edit', ROOT, 'inbox_00000000000000000000000002', '-'], { stdin: 'new' })).err,
    ).toContain('is changed');
    expect((await run(['messages', 'withdraw', ROOT, 'inbox_00000000000000000000000002'])).err).toContain(
      'is withdrawn',
    );
    expect((await run(['rewind', ROOT])).err).toContain(
      'is back to before "Say hello": 1 exchange taken back',
    );
    await run(['rewind', ROOT, '--to', 'inbox_00000000000000000000000002', '--json']);
    await run(['rewind', ROOT, '--answers', '2', '--json']);
    for (const more of [
      ['--turns', '2'],
      ['--answers', '2'],
    ])
      expect((await run(['rewind', ROOT, '--to', 'inbox_00000000000000000000000002', ...more])).code).toBe(2);
    expect(gateway.requests.map(({ method, path: asked, body }) => [method, asked, body])).toEqual([
      ['GET', `/v1/tasks/${ROOT}`, undefined],
      ['POST', expect.stringContaining('/messages'), { text: 'Not so', strategy: 'rollback' }],
      ['GET', expect.stringContaining('/messages'), undefined],
      ['GET', expect.stringContaining('/messages'), undefined],
      ['PATCH', expect.stringContaining('/inbox_00000000000000000000000002'), { text: 'new' }],
      ['DELETE', expect.stringContaining('/inbox_00000000000000000000000002'), undefined],
      ['POST', expect.stringContaining('/rewind'), { turns: 1 }],
      ['POST', expect.stringContaining('/rewind'), { messageId: 'inbox_00000000000000000000000002' }],
      ['POST', expect.stringContaining('/rewind'), { answers: 2 }],
    ]);
  });

  it('retry sends only the limits that were named', async () => {
    const plain = await run(['retry', ROOT]);
    expect([plain.code, plain.err]).toEqual([0, expect.stringContaining('is queued: attempt 1')]);
    await run(['retry', ROOT, '--budget', '10', '--turns', '300', '-m', 'Be quick.', '--json']);
    expect(gateway.requests.map(({ path, body }) => [path, body])).toEqual([
      [`/v1/tasks/${ROOT}/retry`, {}],
      [`/v1/tasks/${ROOT}/retry`, { message: 'Be quick.', limits: { costUsd: '10', turns: 300 } }],
    ]);
    expect((await run(['retry', ROOT, '--turns', 'many'])).code).toBe(2);
  });

  it('pause, resume, interrupt and set send what was asked and say what became of it', async () => {
    gateway.task = aTaskView({ state: 'running', stopCause: null });
    expect((await run(['pause', ROOT, '--now'])).err).toContain('pauses when its current step ends');
    gateway.task = aTaskView({ state: 'paused', stopCause: null });
    expect((await run(['interrupt', ROOT])).err).toContain('stays paused');
    gateway.task = aTaskView({ state: 'queued', stopCause: null });
    expect((await run(['resume', ROOT])).err).toContain(`${ROOT} queued`);
    expect((await run(['interrupt', ROOT, 'Stop that'])).err).toContain('goes on with your message');
    const set = await run(['set', ROOT, '--priority', '7', '--tag', 'a', '--tag', 'b', '--deadline', '2h']);
    expect(set.err).toContain('is changed: priority, tags, deadlineAt');
    await run(['set', ROOT, '--deadline', 'none']);
    expect(gateway.requests.map(({ method, path, body }) => [method, path.slice(-9), body])).toEqual([
      ['POST', expect.stringContaining('/pause'), { now: true }],
      ['POST', 'interrupt', {}],
      ['POST', expect.stringContaining('/resume'), {}],
      ['POST', 'interrupt', { message: 'Stop that' }],
      ['PATCH', expect.any(String), { priority: 7, tags: ['a', 'b'], deadlineAt: expect.any(String) }],
      ['PATCH', expect.any(String), { deadlineAt: null }],
    ]);
    const hours =
      (Date.parse((gateway.requests[4]?.body as { deadlineAt: string }).deadlineAt) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(2);
    for (const wrong of [
      ['--priority', '101'],
      ['--deadline', 'soon'],
      ['--deadline', '2020-01-01'],
    ])
      expect((await run(['set', ROOT, ...wrong])).code).toBe(2);
  });

  it('tenants are made with a key that is all of stdout, weighed, limited and listed', async () => {
    expect(await run(['tenants', 'create', 'acme', '--weight', '3', '--max-running', 'none'])).toMatchObject({
      code: 0,
      out: 'bp_new\n',
    });
    await run(['tenants', 'set', 'acme', '--max-running', '2']);
    expect(await run(['tenants', 'key', 'acme'])).toMatchObject({ code: 0, out: 'bp_new\n' });
    expect(
      gateway.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path, body }) => [method, path, body]),
    ).toEqual([
      ['POST', '/v1/tenants', { id: 'acme', weight: 3, maxRunning: null }],
      ['POST', '/v1/tenants/acme/keys', {}],
      ['PATCH', '/v1/tenants/acme', { maxRunning: 2 }],
      ['POST', '/v1/tenants/acme/keys', {}],
    ]);
    expect((await run(['tenants', 'list'])).out).toBe(
      'TENANT  NAME  WEIGHT  LIMIT  RUNNING  QUEUED\n' + 'acme    Acme  3       none   1        12\n',
    );
    expect(json(await run(['tenants', 'list', '--json']))).toMatchObject({ data: [{ id: 'acme' }] });
    for (const flags of [[], ['--max-running', '0'], ['--weight', 'x']])
      expect((await run(['tenants', 'set', 'acme', ...flags])).code).toBe(2);
  });

  it('shows money as a table with its sum', async () => {
    expect((await run(['usage'])).out).toBe(
      'DAY         CALLS  INPUT  CACHE READ  CACHE WRITE  OUTPUT   COST\n' +
        '2026-01-01      3      0           0            0       0  $0.50\n' +
        'total           0      0           0            0       0  $0.50\n',
    );
  });

  it('demo gives its document last, with code 0 only when completed', async () => {
    const finish = async (
      state: 'completed' | 'failed',
      stopCause: 'goal' | 'cost_limit',
    ): Promise<RunResult> => {
      const story = aStory();
      gateway.streams = [
        [story.created(ROOT, 'Root'), story.state(ROOT, 'running', state, { cause: stopCause })],
      ];
      gateway.task = aTaskView({ state, stopCause, output: { totals: { files: 1, lines: 2, bytes: 3 } } });
      return run(['demo', '/tmp', '--json']);
    };
    const good = await finish('completed', 'goal');
    expect(json(good)).toEqual({
      outcome: 'completed',
      stopCause: 'goal',
      taskId: ROOT,
      tasks: 1,
      report: '/home/workspaces/1/REPORT.md',
      usage: expect.objectContaining({ costUsd: '0.0123' }) as unknown,
      durationMs: expect.any(Number) as unknown,
      output: { totals: { files: 1, lines: 2, bytes: 3 } },
      lost: { workers: 0, tasks: 0, repeatedCalls: 0, cutOffCalls: 0, repeatedModelCalls: 0 },
      failure: null,
      simulated: true,
      queueBackend: 'postgres',
    });
    expect(gateway.requests[0]?.body).toMatchObject({
      agent: 'survey-lead',
      workspace: { kind: 'path', path: '/tmp', copy: true },
      approvals: { alwaysAllowWrite: true, alwaysAllowSubtasks: true, alwaysAllowUpdateTodoList: true },
    });
    expect([good.code, (await finish('failed', 'cost_limit')).code]).toEqual([0, 3]);
  });

  it('doctor proves what it says and fails for a gateway that is away', async () => {
    const home = { BULLPEN_HOME: '/nonexistent', PORT: '0' };
    const well = await run(['doctor', '--json'], { env: home });
    const checks = (json(well) as { checks: { name: string; status: string; proof: string }[] }).checks;
    expect(checks.find((check) => check.name === 'Node.js')).toMatchObject({
      status: 'ok',
      proof: `process.version is ${process.version}`,
    });
    expect(checks.find((check) => check.name === 'Gateway')?.proof).toContain(
      '(from BULLPEN_URL) answered: version 0.0.1',
    );
    expect(checks.find((check) => check.name === 'Workers')).toMatchObject({ status: 'fail' });
    const ill = await run(['doctor'], { env: { ...home, BULLPEN_URL: 'http://127.0.0.1:9' } });
    expect(ill.code).toBe(1);
    expect(ill.out).toMatch(/✗ Gateway/);
    const wrong = await run(['doctor'], { env: { ...home, WORKERS: 'x' } });
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('WORKERS') as unknown]);
  });
});
