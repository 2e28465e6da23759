/** Workspaces that move between workers with installation folders of their own, by nothing but what is stored. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { queueBackends, startProcess, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';

/** Each message says what the agent does, `write FILE TEXT` or `run COMMAND`; its answer ends the turn. */
function general(turn: AgentTurn): Reply {
  const said = turn.lastUserText ?? '';
  const asked = [...said.matchAll(/^(write|run) (\S+) ?(.*)$/gm)];
  if (asked.length === 0 || turn.lastToolResults.length > 0) return { text: 'ok' };
  return {
    toolCalls: asked.map(([, verb, first = '', rest = '']) =>
      verb === 'write'
        ? { name: 'write_file', input: { path: first, content: rest } }
        : { name: 'run_command', input: { command: `${first} ${rest}` } },
    ),
  };
}

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const BYTES = 50_000_000;
const scenario = defineScenario({ name: 'moving', agents: { general } });

for (const backend of queueBackends()) {
  backend.describe('a workspace', () => {
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

    /** A task that waits for a word after each answer, worked on at one machine after the other. */
    async function at(name: 'a' | 'b', id: string | null, text: string): Promise<string> {
      const worker = await world.start({ BULLPEN_HOME: homes[name] });
      const task = id ?? (await world.submit(text, { conversation: true }));
      if (id !== null) await world.commands.sendMessage('default', id, { id: newId('inbox'), text });
      await world.until(task, 'waiting');
      await settled(task);
      await world.stop(worker);
      return task;
    }
    /** The last message was delivered, and answered. */
    async function settled(id: string): Promise<void> {
      const delivered = `SELECT 1 FROM tasks WHERE id = $1 AND state = 'waiting' AND inbox_pending = 0`;
      const isSettled = async () => (await world.pool.query(delivered, [id])).rowCount === 1;
      await waitFor(isSettled, { what: 'the answer to the last message' });
    }
    const fileAt = (name: 'a' | 'b', id: string, file: string) =>
      readFile(join(homes[name], 'workspaces', id, file), 'utf8');
    const events = async (id: string, type: string) =>
      (
        await world.pool.query<{ data: Record<string, unknown> }>(
          `SELECT data FROM ui_events WHERE task_id = $1 AND type = $2 ORDER BY seq`,
          [id, type],
        )
      ).rows.map(({ data }) => data);

    it('goes along with its task, each time as it was last, and is never used again where it was before', async () => {
      const id = await at('a', null, 'write f one');
      await at('b', id, 'write g two');
      expect(await fileAt('b', id, 'f')).toBe('one');
      await rm(join(homes.a, 'shadows', id), { recursive: true, force: true });
      await writeFile(join(homes.a, 'workspaces', id, 'f'), 'changed by nobody who may');
      await at('a', id, 'run rm f');
      expect(await readdir(join(homes.a, 'workspaces', id))).toEqual(['g']);
      await at('b', id, 'write h three');
      expect((await readdir(join(homes.b, 'workspaces', id))).sort()).toEqual(['g', 'h']);
      expect(await events(id, 'workspace.rebuilt')).toHaveLength(3);
      const told = await world.pool.query(
        `SELECT 1 FROM api_messages WHERE task_id = $1 AND content::text LIKE '%workspace was made anew%'`,
        [id],
      );
      expect(told.rowCount).toBe(3);
    });

    // What follows has nothing to do with the queue.
    if (backend.name !== 'postgres') return;

    it('brings branches, commits and what is not committed along, and stores a commit that changes no file', async () => {
      const start = 'git init -q -b trunk && git config user.name A && git config user.email a@x';
      const id = await at('a', null, `run ${start} && echo 1 > f && git add f && git commit -qm first`);
      await at('a', id, 'run git branch side');
      await at('a', id, 'write g two');
      await at('b', id, 'run git status --short --branch > state; git add g && git commit -qm second');
      expect(await fileAt('b', id, 'state')).toBe('## trunk\n?? g\n?? state\n');
      await at('a', id, 'run git log --format=%s > log; git branch --format="%(refname)" >> log');
      expect(await fileAt('a', id, 'log')).toBe('second\nfirst\nrefs/heads/side\nrefs/heads/trunk\n');
    });

    it('is made anew where it was lost, and the agent is told', async () => {
      const id = await at('a', null, 'write f one');
      await rm(join(homes.a, 'workspaces', id), { recursive: true });
      await at('a', id, 'write g two');
      expect(await fileAt('a', id, 'f')).toBe('one');
      expect(await events(id, 'workspace.rebuilt')).toMatchObject([{ turn: 1, lostCalls: [] }]);
    });

    /** A run whose folder is removed while a command works in it, and that then asks for a change. */
    async function loses(settings: Readonly<Record<string, string>>): Promise<string> {
      await world.start({ BULLPEN_HOME: homes.a, ...settings });
      const command = 'echo 1 > f; while [ -e f ]; do sleep 0.1; done';
      const id = await world.submit(`run ${command}\nwrite g two`, { conversation: true });
      const folder = join(homes.a, 'workspaces', id);
      await waitFor(() => existsSync(join(folder, 'f')), { what: 'the command' });
      await rm(folder, { recursive: true });
      await world.until(id, 'waiting');
      expect((await events(id, 'tool.finished')).at(-1)).toMatchObject({
        tool: 'write_file',
        state: 'errored',
        preview: 'the workspace folder no longer exists.',
      });
      expect(existsSync(folder)).toBe(false);
      await world.commands.sendMessage('default', id, { id: newId('inbox'), text: 'write h three' });
      return id;
    }

    it('is not begun anew under a run that loses it; the next run has what is stored, and the agent is told', async () => {
      const id = await loses({});
      await settled(id);
      expect(await events(id, 'checkpoint.failed')).toMatchObject([{ reason: 'file_system' }]);
      expect(await events(id, 'workspace.rebuilt')).toHaveLength(1);
      expect(await readdir(join(homes.a, 'workspaces', id))).toEqual(['h']);
    });

    it('is lost with its task where nothing is stored', async () => {
      const id = await loses({ CHECKPOINTS: 'off' });
      await world.until(id, 'failed');
      const { rows } = await world.pool.query(`SELECT failure ->> 'code' AS code FROM tasks WHERE id = $1`, [
        id,
      ]);
      expect(rows).toEqual([{ code: 'workspace_lost' }]);
      expect(existsSync(join(homes.a, 'workspaces', id))).toBe(false);
    });

    it('that nobody has changed is made anew as it was at the beginning', async () => {
      const id = await at('a', null, 'hello');
      await at('b', id, 'write f one');
      expect(await fileAt('b', id, 'f')).toBe('one');
    });

    it('is stored before the first change and after each turn that changed something, and only then', async () => {
      const id = await at('a', null, 'write f one');
      await at('a', id, 'run ls');
      await at('a', id, 'hello');
      await at('a', id, 'run touch g');
      const { rows } = await world.pool.query(
        `SELECT reason, diffstat ->> 'files' AS files, parent_id IS NULL AS first FROM checkpoints WHERE task_id = $1 ORDER BY number`,
        [id],
      );
      expect(rows).toEqual([
        { reason: 'start', files: null, first: true },
        { reason: 'turn', files: '1', first: false },
        { reason: 'turn', files: '1', first: false },
      ]);
    });

    // A worker that is stopped gives its tasks back; the lease of one that is killed runs out.
    (backend.name === 'postgres' ? it : it.skip).each([
      ['stopped', 'SIGTERM'],
      ['killed', 'SIGKILL'],
    ] as const)(
      'whose worker is %s while a command writes has all of it elsewhere, or the agent is told of the call whose files are gone',
      async (_, how) => {
        const worker = startProcess(MAIN, {
          ipc: true,
          env: {
            ...{ DATABASE_URL: world.database.url, BULLPEN_HOME: homes.a, MODEL_SIMULATED: 'true' },
            ...(world.redis ? { REDIS_URL: world.redis.url, QUEUE_PREFIX: 'spec' } : {}),
            ...{ ANTHROPIC_API_KEY: 'simulated', ANTHROPIC_BASE_URL: world.sim.url },
            ...{ LEASE_MS: '3000', RENEW_MS: '1000', DRAIN_MS: '500' },
          },
        });
        try {
          await worker.waitForOutput('worker is ready');
          const id = await world.submit(`run head -c ${BYTES} /dev/zero > big; touch written; sleep 600`, {
            conversation: true,
          });
          const written = join(homes.a, 'workspaces', id, 'written');
          await waitFor(() => existsSync(written), { what: 'the bytes' });
          worker.child.kill(how);
          await worker.ended;
          await world.start({ BULLPEN_HOME: homes.b });
          await world.until(id, 'waiting', 60_000);
          const big = await stat(join(homes.b, 'workspaces', id, 'big')).catch(() => null);
          const moves = await events(id, 'workspace.rebuilt');
          const told = moves.flatMap(({ lostCalls }) => lostCalls as string[]);
          expect([moves.length, big?.size ?? told.length]).toEqual([1, big === null ? 1 : BYTES]);
        } finally {
          await worker.kill();
        }
      },
      120_000,
    );
  });
}
