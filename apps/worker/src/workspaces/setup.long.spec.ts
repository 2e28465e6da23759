/** The setup command of a workspace on real workers, with homes of their own: when it runs, what it may, and what is left of it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentDefinition } from '@bullpen/contracts';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';

type Call = readonly [string, Readonly<Record<string, unknown>>];

/** A message is the list of the calls of its turn; what the harness says comes in messages of its own. */
function general(turn: AgentTurn): Reply {
  const texts = turn.messages.flatMap(({ role, content }) => {
    if (role !== 'user') return [];
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return blocks.flatMap((block) => (block.type === 'text' ? block.text.split('\n') : []));
  });
  const calls = JSON.parse(texts.findLast((text) => text.startsWith('[')) ?? '[]') as Call[];
  if (turn.lastToolResults.length > 0 || calls.length === 0) return { text: 'ok' };
  return { toolCalls: calls.map(([name, input]) => ({ name, input })) };
}
const scenario = defineScenario({ name: 'setup', agents: { general } });

/** What it makes is ignored, so no checkpoint has it. */
const INSTALL =
  'echo modules > .gitignore; mkdir -p modules; echo "$(date +%s%N)" > modules/dep; echo installed';
const USES: Call = ['run_command', { command: 'cat modules/dep' }];

const [backend] = queueBackends();
backend?.describe('the setup of a workspace', () => {
  let world: WorkerWorld;
  let homes: Record<'a' | 'b', string>;

  beforeAll(async () => {
    world = await WorkerWorld.open(backend, scenario);
  });
  beforeEach(async () => {
    homes = { a: await world.newHome(), b: await world.newHome() };
  });
  afterEach(() => world.stopWorkers());
  afterAll(async () => {
    await world.expectInvariants();
    await world.close();
  });

  const begin = (setup: string, calls: readonly Call[], change: Partial<AgentDefinition> = {}) =>
    world.submit(JSON.stringify(calls), { conversation: true, ...change }, null, { kind: 'empty', setup });
  /** One machine works on the task until it is the user's turn. */
  async function at(name: 'a' | 'b', id: string, calls: readonly Call[] | null = null): Promise<void> {
    const text = JSON.stringify(calls);
    if (calls !== null) await world.commands.sendMessage('default', id, { id: newId('inbox'), text });
    const worker = await world.start({ BULLPEN_HOME: homes[name] });
    const rest = `SELECT 1 FROM tasks WHERE id = $1 AND wait_reason = 'message' AND inbox_pending = 0`;
    const isAtRest = async () => (await world.pool.query(rest, [id])).rowCount === 1;
    await waitFor(isAtRest, { what: 'the answer to the last message' });
    await world.stop(worker);
  }
  const events = async (id: string) =>
    (
      await world.pool.query<{ type: string; data: Record<string, unknown> }>(
        `SELECT type, data FROM ui_events WHERE task_id = $1 ORDER BY seq`,
        [id],
      )
    ).rows;
  const ends = async (id: string) =>
    (await events(id)).filter(({ type }) => type === 'workspace.setup_finished').map(({ data }) => data);
  const outputs = async (id: string) =>
    (
      await world.pool.query<{ output: string }>(
        `SELECT output FROM tool_calls WHERE task_id = $1 ORDER BY turn, position`,
        [id],
      )
    ).rows.map(({ output }) => output);
  const fileAt = (name: 'a' | 'b', id: string, file: string) =>
    readFile(join(homes[name], 'workspaces', id, file), 'utf8');

  it('runs once on a machine, is a process with its output, and is no change of the task as far as it is ignored', async () => {
    const id = await begin(INSTALL, [USES]);
    await at('a', id);
    await at('a', id, [USES]);
    expect(await ends(id)).toMatchObject([
      { state: 'done', command: INSTALL, output: 'exit code 0\ninstalled\n' },
    ]);
    const [first, second] = await outputs(id);
    expect([first, second]).toEqual([expect.stringMatching(/^exit code 0\n\d+/), first]);
    const { rows } = await world.pool.query(
      `SELECT command, state, exit_code FROM processes WHERE task_id = $1 AND call_id LIKE 'setup%'`,
      [id],
    );
    expect(rows).toEqual([{ command: INSTALL, state: 'exited', exit_code: 0 }]);
    const { rows: stored } = await world.pool.query<{ paths: string }>(
      `SELECT diffstat::text AS paths FROM checkpoints WHERE task_id = $1 AND diffstat IS NOT NULL`,
      [id],
    );
    expect(stored.map(({ paths }) => [paths.includes('.gitignore'), paths.includes('modules/')])).toEqual([
      [true, false],
    ]);
  });

  it('runs again on another machine and after a loss, before anything else is done there', async () => {
    const id = await begin(INSTALL, [USES]);
    await at('a', id);
    await at('b', id, [USES]);
    await rm(join(homes.b, 'workspaces', id), { recursive: true });
    await at('b', id, [USES]);
    expect(await ends(id)).toHaveLength(3);
    const read = await outputs(id);
    expect(new Set(read).size).toBe(3);
    for (const output of read) expect(output).toMatch(/^exit code 0\n\d+/);
    expect(read.at(-1)).toContain((await fileAt('b', id, 'modules/dep')).trim());
  });

  it('runs in the copy of a subtask when what it makes is not copied, and not when all of it is', async () => {
    const child = [
      [
        'spawn_subtask',
        { agent: 'general', prompt: JSON.stringify([['run_command', { command: 'ls -A' }]]) },
      ],
    ];
    const childrenOf = async (id: string) => {
      const sql = 'SELECT id FROM tasks WHERE parent_id = $1';
      const isDone = async () =>
        (await world.pool.query(`${sql} AND state = 'completed'`, [id])).rowCount === 1;
      await waitFor(isDone, { what: 'the subtask' });
      return (await world.pool.query<{ id: string }>(sql, [id])).rows.map((row) => row.id);
    };
    const ignoring = await begin(INSTALL, child as unknown as Call[]);
    const copied = await begin('echo x >> log', child as unknown as Call[]);
    await world.start({ BULLPEN_HOME: homes.a });
    for (const [id, runs, files] of [
      [ignoring, 1, '.gitignore\nmodules'],
      [copied, 0, 'log'],
    ] as const) {
      const [own = ''] = await childrenOf(id);
      expect([await ends(id), await ends(own)]).toMatchObject([
        [{}],
        Array.from({ length: runs }, () => ({})),
      ]);
      expect(await outputs(own)).toEqual([expect.stringContaining(files)]);
    }
  });

  it('is refused and held as a command of the agent would be', async () => {
    const asked = await begin('rm -rf / --no-preserve-root', [], { autonomy: 'background' });
    const held = await begin('cat /etc/shadow; echo "code $?"; exit 3', []);
    await world.start({ BULLPEN_HOME: homes.a });
    const atRest = async () =>
      (
        await world.pool.query(`SELECT 1 FROM tasks WHERE id = ANY ($1) AND wait_reason = 'message'`, [
          [asked, held],
        ])
      ).rowCount === 2;
    await waitFor(atRest, { what: 'both tasks to be at rest' });
    expect(await ends(asked)).toMatchObject([{ state: 'refused', durationMs: 0 }]);
    expect((await events(asked)).map(({ type }) => type)).not.toContain('workspace.setup_started');
    expect(await ends(held)).toMatchObject([
      { state: 'failed', output: expect.stringContaining('exit code 3') },
    ]);
    expect(JSON.stringify(await ends(held))).not.toContain('root:');
  });
});
