import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { builtInAgents } from '@bullpen/extensions';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunOptions, type RunResult } from '../../test/fake-terminal.js';

const FIRST = 'task_01kb3v8r9hg43zj6vcj3wa678j';
const SECOND = 'task_01kb3v8r9hnpbd97eexp3sma9r';
const TITLE = 'Find out why the nightly build of the documentation fails on the second machine';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
  gateway.ids = [
    { id: FIRST, title: TITLE },
    { id: SECOND, title: 'Tidy up' },
  ];
});
afterEach(() => gateway.close());

const run = (args: string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(args, { ...options, env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' } });
/** Where the last change went. */
const changed = (): string | undefined => gateway.requests.findLast(({ method }) => method !== 'GET')?.path;

describe('an id', () => {
  it.each([['wa678j'], ['task_01kb3v8r9hg4'], ['01kb3v8r9hg'], ['WA678J'], [FIRST]])(
    'is found by %s',
    async (piece) => {
      expect((await run(['cancel', piece])).code).toBe(0);
      expect(changed()).toBe(`/v1/tasks/${FIRST}/cancel`);
    },
  );

  it('that is whole asks the gateway for nothing else', async () => {
    await run(['cancel', FIRST]);
    expect(gateway.requests.map(({ path }) => path)).toEqual([`/v1/tasks/${FIRST}/cancel`]);
  });

  it('that matches several, none or nearly everything changes nothing, and says what there is', async () => {
    const several = await run(['cancel', '01kb3v8r9h']);
    expect([several.code, several.err]).toEqual([2, expect.stringContaining('matches several')]);
    expect(several.err).toContain(`${FIRST}  Find out why`);
    expect(several.err).toContain(`${SECOND}  Tidy up`);
    const none = await run(['cancel', 'zzzzzz']);
    expect([none.code, none.err]).toEqual([
      5,
      expect.stringMatching(/No task .*"zzzzzz"[^]*bullpen tasks list/),
    ]);
    for (const odd of ['%', 'a b c d', '../../x', '____', 'ünlü'])
      expect((await run(['cancel', odd])).code).toBeGreaterThan(0);
    expect((await run(['cancel', '8j'])).err).toContain('too short');
    expect(changed()).toBeUndefined();
  });

  it.each([
    [['tasks', 'show', 'wa678j'], `/v1/tasks/${FIRST}`],
    [['tasks', 'list', '--root', 'wa678j'], `rootId=${FIRST}`],
    [['inbox', '--task', 'wa678j'], `=${FIRST}`],
    [['usage', '--task', 'wa678j'], `/v1/tasks/${FIRST}/usage`],
    [['messages', 'wa678j'], `/v1/tasks/${FIRST}/messages`],
    [['policy', 'show', '--scope', 'task', '--key', 'wa678j'], FIRST],
    [['retry', 'wa678j'], `/v1/tasks/${FIRST}/retry`],
    [['mode', 'wa678j', 'agent'], `/v1/tasks/${FIRST}/autonomy`],
    [['pause', 'wa678j', 'sma9r'], `/v1/tasks/${SECOND}/pause`],
  ])('may be short in %j', async (args, path) => {
    await run(args);
    expect(gateway.requests.map((request) => decodeURIComponent(request.path)).join(' ')).toContain(path);
  });
});

describe('lists', () => {
  const tasks = [FIRST, SECOND].map((id) =>
    aTaskView({ id, title: TITLE, agent: 'documentation-writer', state: 'waiting', waitReason: 'approval' }),
  );
  beforeEach(() => {
    gateway.answers.set('/v1/tasks', { data: tasks, nextCursor: null, hasMore: false });
  });

  it.each([
    [80, 'needs approval', 33],
    [120, 'needs approval', 50],
    [200, 'needs approval', TITLE.length],
  ])(
    'at %d columns show short ids and whole states, and the title has the rest',
    async (columns, state, least) => {
      const { out } = await run(['tasks', 'list'], { columns });
      const lines = out.trimEnd().split('\n').slice(1);
      for (const [index, line] of lines.entries()) {
        expect(line.length).toBeLessThanOrEqual(columns);
        expect(line.startsWith(`${tasks[index]?.id.slice(-8)}  ${state}  Find out why`)).toBe(true);
        expect(/Find[^…]*?(?:…|machine)/.exec(line)?.[0].length).toBeGreaterThanOrEqual(least);
        expect(line).toMatch(/1m +4 +\$0\.0123$/);
      }
    },
  );

  it('that a program reads have whole ids, and nothing is cut', async () => {
    const { out } = await run(['tasks', 'list']);
    for (const id of [FIRST, SECOND])
      expect(out).toContain(`${id}  needs approval  ${TITLE}  documentation-writer`);
    expect(out).not.toContain('…');
  });

  it('show more of ids that end alike', async () => {
    const alike = `task_01kb3v8r9hg43zj6xcj3wa678j`;
    gateway.answers.set('/v1/tasks', {
      data: [aTaskView({ id: FIRST }), aTaskView({ id: alike })],
      nextCursor: null,
      hasMore: false,
    });
    const { out } = await run(['tasks', 'list'], { columns: 80 });
    expect(out).toMatch(new RegExp(`^${FIRST.slice(-10)} [^]*^${alike.slice(-10)} `, 'm'));
  });
});

describe('agents', () => {
  const source = { kind: 'built-in', name: 'an agent' };
  const agents = builtInAgents().map(
    ({ profiles: _chain, helper: _helper, keepBodies: _bodies, workspaceAgents: _ofTasks, ...agent }) => ({
      ...agent,
      model: 'm1',
      source,
    }),
  );
  beforeEach(() => {
    gateway.answers.set('/v1/agents', { data: agents });
  });

  it('are listed, with and without a verb', async () => {
    const { out } = await run(['agents', 'list']);
    for (const { name } of agents) expect(out).toMatch(new RegExp(`^${name} +m1`, 'm'));
    expect((await run(['agents'])).out).toBe(out);
    expect(JSON.parse((await run(['agents', 'list', '--json'])).out).data).toHaveLength(agents.length);
  });

  it('are shown one by one: what for, tools, autonomy, limits, approvals and schemas', async () => {
    for (const agent of agents) {
      const { out, code } = await run(['agents', 'show', agent.name]);
      expect(code).toBe(0);
      const words = out.replaceAll(/\s+/g, ' ');
      for (const part of [
        agent.description,
        agent.tools.join(', '),
        `Autonomy ${agent.autonomy}`,
        `${agent.limits.turns} turns`,
      ])
        expect(words).toContain(part.replaceAll(/\s+/g, ' '));
      expect(out).toMatch(/Approved +\w+/);
      expect(out.includes('\nOutput\n')).toBe(agent.outputSchema !== null);
      expect(JSON.parse((await run(['agents', 'show', agent.name, '--json'])).out)).toEqual({
        ...agent,
        model: 'm1',
      });
    }
  });

  it('that do not exist are an error that names those that do', async () => {
    expect(await run(['agents', 'show', 'explorr'])).toMatchObject({
      code: 5,
      err: expect.stringMatching(/no agent "explorr"[^]*explorer/),
    });
  });

  it('and all other groups of commands are completed by a shell', async () => {
    const { out: script } = await run(['completion', 'bash']);
    const completed = (...words: string[]): string[] => {
      const line = ['bullpen', ...words].map((word) => `'${word}'`).join(' ');
      const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _bullpen; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' })
        .stdout.trim()
        .split('\n');
    };
    expect(completed('agents', '')).toEqual(expect.arrayContaining(['list', 'show']));
    expect(completed('agents', 'show', '--js')).toEqual(['--json']);
    expect(completed('webhooks', 'lo')).toEqual(['log']);
    expect(completed('tasks', 'tre')).toEqual(['tree']);
    expect(completed('agen')).toEqual(['agents']);
  });
});
