/** Restores as workers carry them out: where the files are, where they are on no machine any more, and in a folder of the user's own. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestoreScope, RestoreView, TaskWorkspace } from '@bullpen/contracts';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId, silentLogger } from '@bullpen/platform';
import { openEventBus, type EventBus } from '@bullpen/queue';
import { Restores } from '@bullpen/store';
import { queueBackends, treeListing, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';

/** Each message says what the agent does, `write FILE TEXT` or `run COMMAND`; its answer ends the turn. */
function general(turn: AgentTurn): Reply {
  const said = turn.lastUserText ?? '';
  const asked = [...said.matchAll(/^(write|run) (\S+) ?(.*)$/gm)].at(-1);
  // While it thinks, somebody else changes a file.
  const between = /^then (\S+)$/m.exec(said)?.[1];
  if (between !== undefined && turn.lastToolResults.some(({ text }) => text.includes(' f '))) {
    writeFileSync(join(between, 'theirs'), 'theirs');
    return { toolCalls: [{ name: 'write_file', input: { path: 'g', content: 'two' } }] };
  }
  if (asked === null || asked === undefined || turn.lastToolResults.length > 0) return { text: 'ok' };
  const [, verb, first = '', rest = ''] = asked;
  return {
    toolCalls: [
      verb === 'write'
        ? { name: 'write_file', input: { path: first, content: rest } }
        : { name: 'run_command', input: { command: `${first} ${rest}` } },
    ],
  };
}

const scenario = defineScenario({ name: 'restores', agents: { general } });

for (const backend of queueBackends()) {
  backend.describe('a restore', () => {
    let world: WorkerWorld;
    let restores: Restores;
    let bus: EventBus;
    let home: string;

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
      restores = new Restores({ pool: world.pool, newId });
      bus = openEventBus(world.connection, silentLogger());
    });
    beforeEach(async () => {
      home = await world.newHome();
    });
    afterEach(() => world.stopWorkers());
    afterAll(async () => {
      await world.expectInvariants();
      await bus.close();
      await world.close();
    });

    const start = () => world.start({ BULLPEN_HOME: home });
    /** A task that waits for a word after each of these, which it has done. */
    async function done(words: readonly string[], workspace?: TaskWorkspace): Promise<string> {
      const [first = '', ...more] = words;
      const id = await world.submit(first, { conversation: true }, null, workspace);
      await settled(id);
      for (const text of more) await say(id, text);
      return id;
    }
    async function say(id: string, text: string): Promise<void> {
      await world.commands.sendMessage('default', id, { id: newId('inbox'), text });
      await settled(id);
    }
    async function settled(id: string): Promise<void> {
      const delivered = `SELECT 1 FROM tasks WHERE id = $1 AND state = 'waiting' AND wait_reason = 'message' AND inbox_pending = 0`;
      const isSettled = async () => (await world.pool.query(delivered, [id])).rowCount === 1;
      await waitFor(isSettled, { what: 'the answer to the last message' });
    }
    async function ckpts(id: string): Promise<{ id: string; reason: string; turn: number }[]> {
      const { rows } = await world.pool.query<{ id: string; reason: string; turn: number }>(
        'SELECT id, reason, turn FROM checkpoints WHERE workspace_id = $1 ORDER BY number',
        [id],
      );
      return rows;
    }
    async function ask(id: string, checkpointId: string, what: RestoreScope = 'files', dryRun = false) {
      const restoreId = newId('restore');
      const request = { id: restoreId, checkpointId, what, dryRun, by: 'somebody' };
      const asked = await restores.request('default', id, request);
      bus.publish({ kind: 'restore', tenantId: 'default', restoreId });
      return asked;
    }
    async function restored(
      id: string,
      checkpointId: string,
      what: RestoreScope = 'files',
      dryRun = false,
    ): Promise<RestoreView> {
      const asked = await ask(id, checkpointId, what, dryRun);
      if (asked.kind !== 'accepted') throw new Error(JSON.stringify(asked));
      const ended = async () => {
        const view = await restores.find('default', asked.restore.id);
        return view?.state === 'pending' ? false : view;
      };
      return waitFor(ended, { what: 'the restore' });
    }
    const at = (id: string, file: string) => readFile(join(home, 'workspaces', id, file), 'utf8');
    const events = async (id: string, type: string) =>
      (
        await world.pool.query<{ data: Record<string, unknown> }>(
          `SELECT data FROM ui_events WHERE task_id = $1 AND type = $2 ORDER BY seq`,
          [id, type],
        )
      ).rows.map(({ data }) => data);
    const told = async (id: string, words: string) =>
      (
        await world.pool.query<{ text: string }>(
          `SELECT content::text AS text FROM api_messages WHERE task_id = $1 AND role = 'user' AND content::text LIKE '%' || $2 || '%' ORDER BY seq`,
          [id, words],
        )
      ).rows.map(({ text }) => text);

    it('brings files back where they are, can be undone, and tells the agent which calls have no effect any more', async () => {
      await start();
      const id = await done(['write f one', 'write f two', 'write g three']);
      const [, one] = await ckpts(id);
      const look = await restored(id, one?.id ?? '', 'files', true);
      expect(look).toMatchObject({
        state: 'done',
        files: {
          changes: {
            count: 2,
            list: [
              { path: 'f', action: 'write' },
              { path: 'g', action: 'remove' },
            ],
          },
          kept: { count: 0 },
        },
      });
      expect(await at(id, 'f')).toBe('two');
      // What no checkpoint holds yet is in the one that is taken first.
      await writeFile(join(home, 'workspaces', id, 'by-hand'), 'kept');
      const back = await restored(id, one?.id ?? '');
      expect(await readdir(join(home, 'workspaces', id))).toEqual(['f']);
      expect(await at(id, 'f')).toBe('one');
      const rows = await ckpts(id);
      expect(rows.slice(-2).map(({ reason }) => reason)).toEqual(['before_restore', 'restore']);
      expect([back.before, back.after]).toEqual(rows.slice(-2).map((row) => row.id));
      expect(await events(id, 'workspace.restored')).toEqual([
        {
          ...{ checkpointId: one?.id, what: 'files', before: back.before, after: back.after },
          ...{ files: 3, insertions: 1, deletions: 3, kept: 0, conflicts: 0 },
        },
      ]);
      await say(id, 'hello');
      const [text = ''] = await told(id, 'restored the files');
      expect(text).toMatch(/taken back[^]*write_file[^]*two[^]*write_file[^]*three/);
      expect(text).not.toContain('\\"one');
      await restored(id, back.before ?? '');
      expect((await readdir(join(home, 'workspaces', id))).sort()).toEqual(['by-hand', 'f', 'g']);
      expect(await at(id, 'f')).toBe('two');
    });

    // What follows has nothing to do with the queue.
    if (backend.name !== 'postgres') return;

    it('takes the conversation back with the files, and the agent goes on from there', async () => {
      await start();
      const id = await done(['write f one', 'write f two', 'hello']);
      const [, one] = await ckpts(id);
      const back = await restored(id, one?.id ?? '', 'both');
      expect(back.history).toEqual({ turn: 1, messages: 7 });
      expect(await at(id, 'f')).toBe('one');
      await say(id, 'write g new');
      const { rows } = await world.pool.query(
        `SELECT content::text AS text FROM api_messages WHERE task_id = $1 AND dropped_at IS NULL`,
        [id],
      );
      expect(JSON.stringify(rows)).not.toContain('two');
      expect((await readdir(join(home, 'workspaces', id))).sort()).toEqual(['f', 'g']);
    });

    it('comes before the next run, which does not begin on files that are about to change', async () => {
      const worker = await start();
      const id = await done(['write f one', 'write f two']);
      await world.stop(worker);
      const asked = await ask(id, (await ckpts(id))[1]?.id ?? '');
      expect(asked).toMatchObject({ kind: 'accepted', restore: { state: 'pending' } });
      expect(await ask(id, (await ckpts(id))[0]?.id ?? '')).toMatchObject({ kind: 'busy', why: 'restore' });
      await world.commands.sendMessage('default', id, { id: newId('inbox'), text: 'run cat f' });
      await start();
      await settled(id);
      expect(await told(id, 'restored the files')).toHaveLength(1);
      const { rows } = await world.pool.query<{ output: string }>(
        `SELECT output FROM tool_calls WHERE task_id = $1 AND tool = 'run_command'`,
        [id],
      );
      expect(rows[0]?.output).toMatch(/^one$/m);
    });

    it('of a task that has ended is done at once, and changes only what is stored where no machine has the files', async () => {
      await start();
      const id = await world.submit('write f one');
      await world.until(id, 'completed');
      const [empty] = await ckpts(id);
      await restored(id, empty?.id ?? '');
      expect(await readdir(join(home, 'workspaces', id))).toEqual([]);
      const undo = (await ckpts(id))[1];
      await world.stopWorkers();
      await rm(home, { recursive: true });
      home = await world.newHome();
      await world.pool.query(`UPDATE workers SET seen_at = now() - interval '1 minute'`);
      await start();
      const back = await restored(id, undo?.id ?? '');
      expect(back).toMatchObject({
        state: 'done',
        files: { changes: { list: [{ path: 'f', action: 'create' }] } },
      });
      expect(await readdir(join(home, 'workspaces'))).toEqual([]);
      await world.commands.sendMessage('default', id, { id: newId('inbox'), text: 'run cat f' });
      await world.until(id, 'completed');
      expect(await at(id, 'f')).toBe('one');
    });

    it('of a folder worked on in place takes back what the task did, and nothing that somebody else did there', async () => {
      const source = await world.newHome();
      const own = join(source, 'own');
      await mkdir(own);
      const git = (...args: string[]): string =>
        execFileSync('git', ['-C', own, '-c', 'user.name=u', '-c', 'user.email=u@x', ...args], {
          encoding: 'utf8',
        });
      const lines = (change: Readonly<Record<number, string>> = {}): string =>
        Array.from({ length: 10 }, (_, index) => `${change[index + 1] ?? `line ${index + 1}`}\n`).join('');
      git('init', '-q');
      await writeFile(join(own, 's.txt'), lines());
      await writeFile(join(own, 'api'), 'old');
      await writeFile(join(own, 'staged'), 'old');
      git('add', '-A');
      git('commit', '-qm', 'first');
      await writeFile(join(own, 'staged'), 'new');
      git('add', 'staged');
      execFileSync('chmod', ['-R', 'a+rwX', source]);
      const place = { kind: 'path', path: own, copy: false } as const;
      await start();
      const mine = await done(["run sed -i 's/^line 1$/mine/' s.txt", 'write a mine'], place);
      const other = await done(["run sed -i 's/^line 9$/other/' s.txt", 'write b other'], place);
      await writeFile(join(own, 'api'), 'by hand');
      git('commit', '-qm', 'by hand', 'api');
      await say(mine, 'write c more');
      const repository = treeListing(join(own, '.git'));
      const [begin] = await ckpts(mine);
      const look = await restored(mine, begin?.id ?? '', 'files', true);
      expect(look.files?.changes.list).toEqual([
        { path: 'a', action: 'remove' },
        { path: 'c', action: 'remove' },
        { path: 's.txt', action: 'write' },
      ]);
      expect(look.files?.kept.list.map(({ path }) => path)).toEqual(['api', 'b']);
      const back = await restored(mine, begin?.id ?? '');
      expect((await readdir(own)).sort()).toEqual(['.git', 'api', 'b', 's.txt', 'staged']);
      expect(await readFile(join(own, 's.txt'), 'utf8')).toBe(lines({ 9: 'other' }));
      expect(await readFile(join(own, 'api'), 'utf8')).toBe('by hand');
      expect(treeListing(join(own, '.git'))).toEqual(repository);
      await restored(mine, back.before ?? '');
      expect(await readFile(join(own, 's.txt'), 'utf8')).toBe(lines({ 1: 'mine', 9: 'other' }));
      expect(await readFile(join(own, 'c'), 'utf8')).toBe('more');
      expect((await ckpts(other)).length).toBeGreaterThan(1);
      await rm(source, { recursive: true });
    });

    it('of a folder worked on in place keeps what somebody changed between two turns of the task', async () => {
      const source = await world.newHome();
      await chmod(source, 0o777);
      await start();
      const id = await done([`write f one\nthen ${source}`], { kind: 'path', path: source, copy: false });
      const [begin] = await ckpts(id);
      expect((await readdir(source)).sort()).toEqual(['f', 'g', 'theirs']);
      const { files } = await restored(id, begin?.id ?? '');
      expect(files?.kept.list).toEqual([{ path: 'theirs', action: 'remove' }]);
      expect(await readdir(source)).toEqual(['theirs']);
      await rm(source, { recursive: true });
    });

    it('that cannot be done changes nothing and says why; the task goes on', async () => {
      await start();
      const id = await done(['write f one', 'write f two']);
      const [, one] = await ckpts(id);
      await rm(join(home, 'shadows', id), { recursive: true });
      await world.pool.query('DELETE FROM checkpoint_packs WHERE line = $1', [id]);
      const failed = await restored(id, one?.id ?? '');
      expect(failed).toMatchObject({ state: 'failed', failure: expect.stringMatching(/./) });
      expect(await at(id, 'f')).toBe('two');
      expect(await events(id, 'workspace.restore_failed')).toMatchObject([{ checkpointId: one?.id }]);
      await say(id, 'write g three');
      expect(await at(id, 'g')).toBe('three');
    });

    it('to a state that leaves files out spares them, although they would be covered by now', async () => {
      await start();
      const id = await done(['write f one', 'write .gitignore logs', 'run mkdir logs', 'write logs/l kept']);
      const [, one] = await ckpts(id);
      await world.pool.query(`UPDATE checkpoints SET left_out = $2 WHERE id = $1`, [
        one?.id,
        JSON.stringify([{ reason: 'oversize', count: 1, paths: ['big'] }]),
      ]);
      await say(id, 'write big small-by-now');
      const look = await restored(id, one?.id ?? '', 'files', true);
      expect(look.files?.kept.list).toEqual([{ path: 'big', action: 'remove' }]);
      await restored(id, one?.id ?? '');
      expect((await readdir(join(home, 'workspaces', id))).sort()).toEqual(['big', 'f', 'logs']);
    });

    it('to where nothing has changed since only marks the conversation', async () => {
      await start();
      const id = await done(['write f one', 'hello']);
      const [, one] = await ckpts(id);
      const { files, history, after, before } = await restored(id, one?.id ?? '', 'both');
      expect(files).toMatchObject({ changes: { count: 0 } });
      expect([history?.turn, after, before]).toEqual([1, one?.id, one?.id]);
      expect(await ckpts(id)).toHaveLength(2);
      await say(id, 'hello again');
      expect(await told(id, 'restored the files')).toEqual([]);
    });
  });
}
