/** What the tasks of real workers work in, and what people are told about it. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { defineScenario } from '@bullpen/model-sim';
import { queueBackends } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/** Reads a file and ends, or waits for a message when it is asked to. */
const scenario = defineScenario({
  name: 'workspaces',
  agents: {
    general: (turn) =>
      turn.turnIndex === 0 ? { toolCalls: [{ name: 'read_file', input: { path: 'f' } }] } : { text: 'done' },
  },
});

for (const backend of queueBackends()) {
  backend.describe('the workspace of a task', () => {
    let world: WorkerWorld;
    let source: string;

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
    });
    beforeEach(async () => {
      source = await realpath(await mkdtemp(join(tmpdir(), 'workspaces-')));
      await chmod(source, 0o755);
      await writeFile(join(source, 'f'), 'content of f');
    });
    afterEach(async () => {
      await world.stopWorkers();
      await rm(source, { recursive: true, force: true });
    });
    afterAll(() => world.close());

    const told = async (id: string): Promise<unknown[]> => {
      const events = `SELECT type, data FROM ui_events WHERE task_id = $1 AND type LIKE 'workspace.%' ORDER BY seq`;
      return (await world.pool.query(events, [id])).rows;
    };
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], { cwd: source })
        .toString()
        .trim();

    it('is a clone, and the task says of what and where it began', async () => {
      git('init', '-q', '-b', 'trunk');
      git('add', '-A');
      git('commit', '-qm', 'first');
      await world.start({ GIT_PROTOCOLS: 'file' });
      const url = `file://${source}`;
      const id = await world.submit('go on', {}, null, { kind: 'git', url });
      await world.until(id, 'completed');
      expect(await told(id)).toEqual([
        { type: 'workspace.cloned', data: { url, branch: 'trunk', commit: git('rev-parse', 'HEAD') } },
      ]);
      const { rows } = await world.pool.query(`SELECT output FROM tool_calls WHERE task_id = $1`, [id]);
      expect(JSON.stringify(rows)).toContain('content of f');
    });

    it('that cannot be had ends the task at once, and says why', async () => {
      await world.start();
      const id = await world.submit('go on', {}, null, { kind: 'git', url: 'https://127.0.0.1:1/x.git' });
      await world.until(id, 'failed');
      const { rows } = await world.pool.query(`SELECT failure FROM tasks WHERE id = $1`, [id]);
      expect(rows).toEqual([
        {
          failure: expect.objectContaining({
            code: 'invalid_workspace',
            message: expect.stringContaining('GIT_ALLOW_PRIVATE'),
          }),
        },
      ]);
    });

    it('is a folder itself, and the task names those that work there as well', async () => {
      await world.start();
      const spec = { kind: 'path', path: source, copy: false } as const;
      const first = await world.submit('stay', { autonomy: 'chat' }, null, spec);
      await world.until(first, 'waiting');
      const second = await world.submit('go on', {}, null, spec);
      await world.until(second, 'completed');
      expect(await told(first)).toEqual([{ type: 'workspace.in_place', data: { path: source, others: [] } }]);
      expect(await told(second)).toEqual([
        { type: 'workspace.in_place', data: { path: source, others: [first] } },
      ]);
      const third = await world.submit('go on', {}, null, { ...spec, copy: true });
      await world.until(third, 'completed');
      expect(await told(third)).toEqual([]);
    });
  });
}
