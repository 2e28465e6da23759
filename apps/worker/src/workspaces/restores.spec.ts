/** Restores as workers carry them out: where the files are, where they are on no machine any more, and in a folder of the user's own. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RestoreScope, RestoreView, TaskWorkspace } from '@bullpen/contracts';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { Restores } from '@bullpen/store';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';

/** Each message says what the agent does, `write FILE TEXT` or `run COMMAND`; its answer ends the turn. */
function general(turn: AgentTurn): Reply {
  const said = turn.lastUserText ?? '';
  const asked = [...said.matchAll(/^(write|run) (\S+) ?(.*)$/gm)].at(-1);
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
    let home: string;

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
      restores = new Restores({ pool: world.pool, newId });
    });
    beforeEach(async () => {
      home = await folder();
    });
    afterEach(async () => {
      await world.stopWorkers();
      await rm(home, { recursive: true, force: true });
    });
    afterAll(async () => {
      await world.expectInvariants();
      await world.close();
    });

    async function folder(): Promise<string> {
      const made = await mkdtemp(join(tmpdir(), 'bullpen-restore-'));
      await chmod(made, 0o711);
      return made;
    }
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
      await waitFor(isSettled, { what: 'the answer to the last message', timeoutMs: 30_000 });
    }
    async function ckpts(id: string): Promise<{ id: string; reason: string; turn: number }[]> {
      const { rows } = await world.pool.query<{ id: string; reason: string; turn: number }>(
        'SELECT id, reason, turn FROM checkpoints WHERE workspace_id = $1 ORDER BY number',
        [id],
      );
      return rows;
    }
    async function ask(id: string, checkpointId: string, what: RestoreScope = 'files', dryRun = false) {
      return restores.request('default', id, {
        id: newId('restore'),
        checkpointId,
        what,
        dryRun,
        by: 'somebody',
      });
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
      return waitFor(ended, { what: 'the restore', timeoutMs: 30_000 });
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
  });
}
