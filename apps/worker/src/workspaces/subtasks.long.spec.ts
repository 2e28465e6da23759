/** Subtasks with files of their own on real workers: what they begin with, what they bring back, and what is left of them. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { queueBackends, startProcess, waitFor, type TestProcess } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';

type Call = readonly [string, Readonly<Record<string, unknown>>];

/** The prompt is the list of its turns, each a list of calls; `$0` is the id of the first subtask. */
function general(turn: AgentTurn): Reply {
  const ids = turn.allToolResults
    .filter(({ name, text }) => name === 'spawn_subtask' && text.startsWith('{'))
    .map(({ text }) => (JSON.parse(text) as { taskId: string }).taskId);
  const turns = JSON.parse(turn.prompt ?? '[]') as Call[][];
  const calls = turns[turn.turnIndex];
  if (calls === undefined) return { text: 'done' };
  return {
    toolCalls: calls.map(([name, input]) => ({
      name,
      input: JSON.parse(
        JSON.stringify(input).replace(/"\$(\d)"/g, (_, at: string) => JSON.stringify(ids[Number(at)])),
      ) as Record<string, unknown>,
    })),
  };
}

const write = (path: string, content: string): Call => ['write_file', { path, content }];
const run = (command: string): Call => ['run_command', { command }];
const spawn = (turns: readonly Call[][], more: object = {}): Call => [
  'spawn_subtask',
  { agent: 'general', prompt: JSON.stringify(turns), ...more },
];
const wait = (count: number): Call => [
  'wait_for_subtasks',
  { taskIds: Array.from({ length: count }, (_, at) => `$${at}`) },
];
const take = (at: number, more: object = {}): Call => ['take_changes', { taskId: `$${at}`, ...more }];
const lines = (change: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 9 }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('');

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** Kills a worker when it is about to put a file of this name into its place. */
const DIES = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const rename = fs.renameSync;
  fs.renameSync = (from, to) => {
    if (String(to).endsWith('/' + process.env.DIE_AT)) process.kill(process.pid, 'SIGKILL');
    rename(from, to);
  };
  syncBuiltinESMExports();
`)}`;

const scenario = defineScenario({ name: 'subtasks', agents: { general } });

for (const backend of queueBackends()) {
  backend.describe('subtasks', () => {
    let world: WorkerWorld;

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
    });
    afterEach(() => world.stopWorkers());
    afterAll(async () => {
      await world.expectInvariants();
      await world.close();
    });

    async function done(...turns: Call[][]): Promise<string> {
      await world.start();
      const id = await world.submit(JSON.stringify(turns));
      // Five children are hundreds of runs of git.
      await world.until(id, 'completed', 150_000);
      return id;
    }
    const file = (id: string, path: string) => readFile(join(world.home, 'workspaces', id, path), 'utf8');
    const children = async (id: string) =>
      (
        await world.pool.query<{ id: string; workspace_id: string | null }>(
          'SELECT id, workspace_id FROM tasks WHERE root_id = $1 AND parent_id IS NOT NULL ORDER BY created_at, id',
          [id],
        )
      ).rows;
    const outputs = async (id: string, tool: string) =>
      (
        await world.pool.query<{ output: string; is_error: boolean }>(
          'SELECT output, is_error FROM tool_calls WHERE task_id = $1 AND tool = $2 ORDER BY turn, position',
          [id, tool],
        )
      ).rows;
    /** A worker that dies when it puts this file into its place. */
    const mortal = (dieAt: string, home: string): TestProcess =>
      startProcess(MAIN, {
        ipc: true,
        execArgv: ['--import', DIES],
        env: {
          ...{ DATABASE_URL: world.database.url, BULLPEN_HOME: home, DIE_AT: dieAt },
          ...(world.redis ? { REDIS_URL: world.redis.url, QUEUE_PREFIX: 'spec' } : {}),
          ...{ ANTHROPIC_API_KEY: 'simulated', ANTHROPIC_BASE_URL: world.sim.url, MODEL_SIMULATED: 'true' },
          ...{ LEASE_MS: '3000', RENEW_MS: '1000' },
        },
      });
    const foldersGone = (id: string) =>
      waitFor(
        async () => {
          const all = [
            ...(await readdir(join(world.home, 'workspaces'))),
            ...(await readdir(join(world.home, 'shadows'))),
          ];
          const own = (await children(id)).map((child) => child.id);
          return !all.some((name) => own.includes(name));
        },
        { what: 'the folders of ended subtasks to be gone' },
      );

    it('bring what five of them changed in files of their own, and two in the same line: nothing is lost, the conflict is told with both versions', async () => {
      const id = await done(
        [write('shared.txt', lines()), write('keep', 'k')],
        [
          ...[0, 1, 2].map((at) => spawn([[write(`own-${at}`, `by ${at}`)]])),
          spawn([[run(`sed -i 's/line 5/first child/' shared.txt`)]]),
          spawn([[run(`sed -i 's/line 5/second child/' shared.txt && rm keep`)]]),
        ],
        [run(`sed -i 's/line 1$/parent/' shared.txt`)],
        [wait(5)],
        [0, 1, 2, 3, 4].map((at) => take(at)),
        [take(3)],
      );
      for (const at of [0, 1, 2]) expect(await file(id, `own-${at}`)).toBe(`by ${at}`);
      expect(await file(id, 'shared.txt')).toBe(lines({ 1: 'parent', 5: 'first child' }));
      const folder = await readdir(join(world.home, 'workspaces', id));
      expect(folder).not.toContain('keep');
      const [, , , , fifth] = await children(id);
      const beside = folder.find((name) => name.startsWith('shared.txt.theirs-')) ?? '';
      expect(beside).toBe(`shared.txt.theirs-${fifth?.id.slice(-6)}`);
      expect(await file(id, beside)).toBe(lines({ 5: 'second child' }));
      const taken = await outputs(id, 'take_changes');
      expect(taken.map(({ is_error }) => is_error)).toEqual(taken.map(() => false));
      expect(taken[0]?.output).toBe('Taken (1): own-0');
      expect(taken[3]?.output).toBe('Merged with your own changes (1): shared.txt');
      expect(taken[4]?.output).toContain('Taken (1): keep');
      expect(taken[4]?.output).toContain('Conflicts (1)');
      expect(taken[4]?.output).toMatch(/first child[^]*second child/);
      expect(taken[5]?.output).toContain('shared.txt');
      const [waited] = await outputs(id, 'wait_for_subtasks');
      const { subtasks } = JSON.parse(waited?.output ?? '{}') as { subtasks: { changes?: object }[] };
      expect(subtasks.map(({ changes }) => changes)).toMatchObject([
        { files: 1, insertions: 1, list: ['added own-0'] },
        { files: 1 },
        { files: 1 },
        { files: 1, insertions: 1, deletions: 1, list: ['changed shared.txt'] },
        { files: 2, list: ['deleted keep', 'changed shared.txt'] },
      ]);
      await foldersGone(id);
    }, 180_000);

    // What follows has nothing to do with the queue.
    if (backend.name !== 'postgres') return;

    it('begin with the files of their parent as they are at that moment, and change them by tool and by command in their own folder only', async () => {
      const id = await done(
        [
          run(
            'git init -q && git config user.email u@x && git config user.name u && git config gc.auto 0 && mkdir src',
          ),
        ],
        [write('edited', 'old'), write('deleted', 'd'), write('src/a.ts', 'one\n')],
        [run('git add -A && git commit -qm first && git switch -qc feature')],
        [run('echo new > edited; echo s > staged; git add staged; echo u > untracked; rm deleted')],
        [
          spawn([
            [['read_file', { path: 'src/a.ts' }]],
            [['edit_file', { path: 'src/a.ts', oldText: 'one', newText: 'two' }]],
            [run('cat src/a.ts; ls; cat edited')],
            [
              run(
                'git init -q && git config core.bare true; git config core.hooksPath h; git stash; git worktree prune; git gc --prune=now',
              ),
            ],
          ]),
        ],
        [wait(1)],
        [
          run(
            'cat src/a.ts; git status --short; git config core.bare; git stash list; git branch --show-current',
          ),
        ],
      );
      const [child] = await children(id);
      expect(child?.workspace_id).toBe(child?.id);
      const [seen] = await outputs(child?.id ?? '', 'run_command');
      expect(seen?.output).toContain('two\nedited\nsrc\nstaged\nuntracked\nnew');
      const own = (await outputs(id, 'run_command')).at(-1)?.output ?? '';
      expect(own).toBe('exit code 0\none\n D deleted\n M edited\nA  staged\n?? untracked\nfeature\n');
    });

    it('bring what they committed, staged, only announced or left untracked', async () => {
      const id = await done(
        [write('f', 'one')],
        [
          spawn([
            [run('git init -q && git -c user.email=u@x -c user.name=u commit -q --allow-empty -m none')],
            [run('echo two > f && git add -A && git -c user.email=u@x -c user.name=u commit -qm mine')],
            [run('touch staged untracked meant && git add staged && git add --intent-to-add meant')],
          ]),
        ],
        [wait(1)],
        [take(0)],
      );
      expect(await file(id, 'f')).toBe('two\n');
      const [{ output } = { output: '{}' }] = await outputs(id, 'wait_for_subtasks');
      const { subtasks } = JSON.parse(output) as { subtasks: { changes: { list: string[] } }[] };
      expect(subtasks[0]?.changes.list).toEqual([
        ...['changed f', 'added meant', 'added staged', 'added untracked'],
      ]);
      for (const name of ['meant', 'staged', 'untracked']) expect(await file(id, name)).toBe('');
    });

    it('take some of the files when only those are wanted', async () => {
      const id = await done(
        [write('a', 'a')],
        [spawn([[run('mkdir d e && echo 1 > d/x && echo 2 > d/y && echo 3 > e/z && rm a')]])],
        [wait(1)],
        [take(0, { paths: ['d/', './e/z'] })],
      );
      expect((await readdir(join(world.home, 'workspaces', id))).sort()).toEqual(['a', 'd', 'e']);
      expect((await outputs(id, 'take_changes'))[0]?.output).toBe('Taken (3): d/x, d/y, e/z');
    });

    it('that changed nothing leave nothing behind, and have nothing to take', async () => {
      const id = await done([write('f', 'one')], [spawn([[run('ls')]])], [wait(1)], [take(0)]);
      expect((await outputs(id, 'wait_for_subtasks'))[0]?.output).not.toContain('changes');
      expect((await outputs(id, 'take_changes'))[0]?.output).toBe('There is nothing to take.');
      const [child] = await children(id);
      expect(
        (await world.pool.query('SELECT 1 FROM checkpoints WHERE task_id = $1', [child?.id])).rowCount,
      ).toBe(0);
      await foldersGone(id);
    });

    it('share the state that they begin from, and the grandchild that shares works in the same folder', async () => {
      const id = await done(
        [write('f', 'one')],
        [
          spawn([[spawn([[write('g', 'grand')]], { workspace: 'shared' })], [wait(1)], [run('cat g')]]),
          spawn([[run('ls')]]),
        ],
        [wait(2)],
        [take(0)],
      );
      expect(await file(id, 'g')).toBe('grand');
      const { rows } = await world.pool.query(
        'SELECT DISTINCT base FROM workspaces WHERE root_id = $1 AND base IS NOT NULL',
        [id],
      );
      expect(rows).toHaveLength(1);
      await foldersGone(id);
    });

    it('that share a folder change it one after the other', async () => {
      const slow = (name: string) =>
        spawn([[run(`echo in ${name} >> log; sleep 1; echo out ${name} >> log`)]], { workspace: 'shared' });
      const id = await done([write('log', '')], [slow('a'), slow('b')], [wait(2)]);
      expect(await file(id, 'log')).toMatch(/^in (.)\nout \1\nin (.)\nout \2\n$/);
    });

    it('do not start when their files cannot be stored, and say why', async () => {
      const turns = [[write('f', 'one')], [spawn([[write('x', 'x')]]), spawn([[run('cat f')]])], [run('ls')]];
      const id = await world.submit(JSON.stringify(turns));
      await mkdir(join(world.home, 'shadows', id), { recursive: true });
      // No git program makes a store of this.
      await writeFile(join(world.home, 'shadows', id, 'config'), '[broken');
      await world.start();
      await world.until(id, 'completed');
      const spawns = await outputs(id, 'spawn_subtask');
      expect(spawns.map(({ is_error }) => is_error)).toEqual([true, true]);
      expect(spawns[0]?.output).toMatch(
        /was not started, because it would have no files of its own.*could not be stored: \S/,
      );
      expect(await children(id)).toEqual([]);
      expect((await outputs(id, 'run_command'))[0]?.output).toBe('exit code 0\nf\n');
    });

    // What a process leaves behind is the same whichever queue it was told of its work by.
    const itOnce = backend.name === 'postgres' ? it : it.skip;
    itOnce.each(['the same files', 'files made anew'])(
      'are taken whole by whoever goes on after a worker was killed in the middle of it, with %s',
      async (files) => {
        const other = await mkdtemp(join(tmpdir(), 'bullpen-other-'));
        await chmod(other, 0o711);
        const worker = mortal('own-1', files === 'the same files' ? world.home : other);
        try {
          await worker.waitForOutput('worker is ready');
          const child = `for at in 0 1 2; do echo child > own-$at; done; sed -i 's/line 3/child/; s/line 8/child/' shared.txt`;
          const turns = [
            [write('shared.txt', lines()), write('both', lines())],
            [spawn([[run(`${child}; sed -i 's/line 3/child/' both`)]])],
            [run(`sed -i 's/line 3/parent/' shared.txt; sed -i 's/line 8/parent/' both`)],
            [wait(1)],
            [take(0)],
          ];
          const id = await world.submit(JSON.stringify(turns));
          expect(await worker.ended).toMatchObject({ signal: 'SIGKILL' });
          await world.start();
          await world.until(id, 'completed');
          expect(await file(id, 'both')).toBe(lines({ 3: 'child', 8: 'parent' }));
          expect(await file(id, 'shared.txt')).toBe(lines({ 3: 'parent' }));
          const [own] = await children(id);
          const beside = `shared.txt.theirs-${own?.id.slice(-6)}`;
          expect(await file(id, beside)).toBe(lines({ 3: 'child', 8: 'child' }));
          for (const at of [0, 1, 2]) expect(await file(id, `own-${at}`)).toBe('child\n');
          expect((await readdir(join(world.home, 'workspaces', id))).sort()).toEqual(
            ['both', 'own-0', 'own-1', 'own-2', 'shared.txt', beside].sort(),
          );
          expect(await outputs(id, 'take_changes')).toMatchObject([{ is_error: false }]);
        } finally {
          await worker.kill();
          await rm(other, { recursive: true, force: true });
        }
      },
      120_000,
    );

    itOnce(
      'begin with all of their files after a worker was killed while it made them',
      async () => {
        const worker = mortal('file-2', world.home);
        try {
          await worker.waitForOutput('worker is ready');
          const id = await world.submit(
            JSON.stringify([
              [run('for at in 1 2 3; do echo $at > file-$at; done')],
              [spawn([[run('cat file-1 file-2 file-3; ls | wc -l; touch made')]])],
              [wait(1)],
              [take(0)],
            ]),
          );
          expect(await worker.ended).toMatchObject({ signal: 'SIGKILL' });
          const left = await readdir(join(world.home, 'workspaces'));
          const [child] = await children(id);
          expect(left.filter((name) => name.includes(child?.id ?? '?'))).toEqual([
            expect.stringMatching(/\.tmp-/),
          ]);
          await world.start();
          await world.until(id, 'completed');
          const [seen] = await outputs(child?.id ?? '', 'run_command');
          expect(seen?.output).toBe('exit code 0\n1\n2\n3\n3\n');
          expect(await file(id, 'made')).toBe('');
        } finally {
          await worker.kill();
        }
      },
      120_000,
    );
  });
}
