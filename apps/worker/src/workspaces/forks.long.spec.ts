/** Tasks that begin from a checkpoint of another one: its files exactly, its conversation up to there, and nothing of it afterwards. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskWorkspace } from '@bullpen/contracts';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { CheckpointHouse, pruneTrees } from '@bullpen/store';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';

/** `write FILE TEXT` or `run COMMAND` in a message makes the agent do so; its answer to the result ends the turn. */
function general(turn: AgentTurn): Reply {
  const asked = /^(write|run) (\S+) ?(.*)$/m.exec(turn.lastUserText ?? '');
  if (asked === null || turn.lastToolResults.length > 0) return { text: 'ok' };
  const [, verb, first = '', rest = ''] = asked;
  if (verb === 'run') return { toolCalls: [{ name: 'run_command', input: { command: `${first} ${rest}` } }] };
  return { toolCalls: [{ name: 'write_file', input: { path: first, content: rest } }] };
}

const scenario = defineScenario({ name: 'forks', agents: { general } });

for (const backend of queueBackends()) {
  backend.describe('a fork', () => {
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

    const rows = async <T extends object>(text: string, values: unknown[]): Promise<T[]> =>
      (await world.pool.query<T>(text, values)).rows;
    /** A machine works until the task waits for its user with nothing left to read. */
    async function at(name: 'a' | 'b', id: string): Promise<string> {
      const worker = await world.start({ BULLPEN_HOME: homes[name] });
      const settled = `SELECT 1 FROM tasks WHERE id = $1 AND state = 'waiting' AND wait_reason = 'message' AND inbox_pending = 0`;
      const isSettled = async () => (await rows(settled, [id])).length === 1;
      await waitFor(isSettled, { what: `${id} to wait for its user` });
      await world.stop(worker);
      return id;
    }
    const submit = (text: string, workspace?: TaskWorkspace) =>
      world.submit(text, { conversation: true }, null, workspace);
    const say = (id: string, text: string) =>
      world.commands.sendMessage('default', id, { id: newId('inbox'), text });
    const forkOf = (checkpointId: string, history = true): TaskWorkspace => ({
      ...{ kind: 'fork', checkpointId, history },
      origin: { kind: 'empty' },
    });
    const checkpointsOf = (id: string) =>
      rows<{ id: string; reason: string; turn: number }>(
        'SELECT id, reason, turn FROM checkpoints WHERE task_id = $1 ORDER BY number',
        [id],
      );
    const said = async (id: string) =>
      (
        await rows<{ role: string; content: unknown }>(
          'SELECT role, content FROM api_messages WHERE task_id = $1 AND dropped_at IS NULL ORDER BY seq',
          [id],
        )
      ).map(({ role, content }) => ({ role, content }));
    const types = async (id: string) =>
      (await rows<{ type: string }>('SELECT type FROM ui_events WHERE task_id = $1 ORDER BY seq', [id])).map(
        ({ type }) => type,
      );
    const folderOf = (name: 'a' | 'b', id: string) => join(homes[name], 'workspaces', id);

    it('has the files of the checkpoint, to the byte and the mode, and the conversation up to it', async () => {
      const source = await at('a', await submit('write f one'));
      const folder = folderOf('a', source);
      await oddTree(folder);
      const before = listing(folder);
      await say(source, 'write g two');
      await at('a', source);
      const [, turn, start] = await checkpointsOf(source);
      expect([turn?.reason, start?.reason]).toEqual(['turn', 'start']);
      const whole = await said(source);

      const fork = await submit('write f one', forkOf(start?.id ?? ''));
      await at('b', fork);

      expect(listing(folderOf('b', fork))).toEqual(before);
      const own = await said(fork);
      // The prompt, the call, its result, the answer, the second message; not the call that wrote g.
      expect(own.slice(0, 5)).toEqual(whole.slice(0, 5));
      expect(JSON.stringify(own[5])).toContain('This task is a copy of an earlier one');
      expect(own[6]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'ok' }] });
      const [first] = await checkpointsOf(fork);
      expect(first).toMatchObject({ reason: 'start', turn: 0 });
      const told = await types(fork);
      const place = told.indexOf('task.forked_from');
      expect(told.slice(0, place)).toEqual([
        ...['task.created', 'message.user', 'message.agent', 'tool.started', 'tool.finished'],
        ...['message.agent', 'message.user'],
      ]);
      expect(await types(source)).toContain('task.forked');
      const [cost] = await rows<{ turns: number }>('SELECT turns FROM tasks WHERE id = $1', [fork]);
      expect(cost?.turns).toBe(1);
    });

    // What follows has nothing to do with the queue.
    if (backend.name !== 'postgres') return;

    it('goes its own way, and needs nothing of the other task any more', async () => {
      const source = await at('a', await submit('write f one'));
      await say(source, 'write later thing');
      await at('a', source);
      const [, turn] = await checkpointsOf(source);
      const fork = await submit('write g two', forkOf(turn?.id ?? '', false));
      await world.commands.cancel('default', source, null);
      // Nobody has opened it yet: what it begins from stays.
      const age = `UPDATE tasks SET ended_at = now() - interval '9 days' WHERE id = $1`;
      await world.pool.query(age, [source]);
      const house = new CheckpointHouse(world.pool);
      expect(await house.thin(source)).toHaveLength(3);
      expect(await prune()).toEqual({ trees: 0, tasks: 0 });
      await at('b', fork);
      expect(await house.thin(source)).toHaveLength(2);
      expect(await prune()).toEqual({ trees: 1, tasks: 1 });
      expect(await rows('SELECT 1 FROM checkpoint_packs WHERE line = $1', [source])).toEqual([]);
      expect(listing(folderOf('b', fork)).map(({ path }) => path)).toEqual(['', 'f', 'g']);
      // On to a third machine, by what the fork itself has stored.
      await say(fork, 'write h three');
      await at('a', fork);
      expect(listing(folderOf('a', fork)).map(({ path }) => path)).toEqual(['', 'f', 'g', 'h']);
    });

    it('has the branches and commits of the checkpoint, and what is not committed', async () => {
      const who = 'git config user.name A && git config user.email a@x';
      const source = await at('a', await submit(`run git init -q -b trunk && ${who}`));
      await say(
        source,
        'run echo 1 > f && git add f && git commit -qm first && git branch side && echo 2 > g',
      );
      await at('a', source);
      const last = (await checkpointsOf(source)).at(-1);
      await say(source, 'run git add g && git commit -qm second');
      await at('a', source);
      const fork = await submit('run true', forkOf(last?.id ?? ''));
      await say(
        fork,
        'run git log --format=%s > log; git branch --format="%(refname)" >> log; git status --short >> log',
      );
      await at('b', fork);
      const log = listing(folderOf('b', fork)).find(({ path }) => path === 'log');
      expect(log?.content).toBe('first\nrefs/heads/side\nrefs/heads/trunk\n?? g\n?? log\n');
      // And on from there, by what the fork has stored itself.
      await say(fork, 'run git log --format=%s > log');
      await at('a', fork);
      expect(listing(folderOf('a', fork)).find(({ path }) => path === 'log')?.content).toBe('first\n');
    });

    const prune = () =>
      pruneTrees(
        { pool: world.pool, olderThanS: 86_400, states: ['cancelled'], tenantId: null },
        new AbortController().signal,
      );
  });
}

interface Listed {
  readonly path: string;
  readonly kind: string;
  readonly mode: string;
  readonly content: string;
}

/** What `find` says of a folder, and what is read there: nothing of ours has a part in it. */
function listing(folder: string): Listed[] {
  const args = [folder, '-printf', '%P\\0%y\\0%m\\0%l\\0'];
  const found = execFileSync('find', args, { encoding: 'latin1' }).split('\0');
  const all: Listed[] = [];
  for (let at = 0; at + 3 < found.length; at += 4) {
    const [path = '', kind = '', mode = '', target = ''] = found.slice(at, at + 4);
    const content = kind === 'f' ? readFileSync(inFolder(folder, Buffer.from(path, 'latin1'))) : target;
    all.push({ path, kind, mode: kind === 'l' ? '' : mode, content: String(content) });
  }
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}

const inFolder = (folder: string, name: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), name]);

async function oddTree(folder: string): Promise<void> {
  const put = (name: string | Buffer, text: string, mode = 0o644) =>
    writeFile(inFolder(folder, Buffer.from(name)), text, { mode });
  await mkdir(join(folder, 'empty'));
  await mkdir(join(folder, 'closed'), { mode: 0o700 });
  await put('closed/key.cfg', 'secret\r\nlines\r', 0o600);
  await put('run', '#!/bin/sh\n', 0o711);
  await put('-n\nname', 'odd');
  await put('caf\u00e9', 'composed');
  await put('cafe\u0301', 'decomposed');
  await put(Buffer.from([0x66, 0xff]), 'no text for a name');
  await put('.gitattributes', '*.ps1 text eol=crlf\n* export-ignore\n');
  await put('x.ps1', 'a\nb\n');
  await symlink('nowhere', join(folder, 'dangling'));
  await symlink('/etc', join(folder, 'outward'));
}
