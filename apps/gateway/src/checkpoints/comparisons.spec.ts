/** Any two checkpoints of a tenant compared over HTTP, and the files of one as an archive. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Checkpoints } from '@bullpen/checkpoints';
import { createClient, type BullpenClient } from '@bullpen/client';
import { newId } from '@bullpen/platform';
import { PostgresPackStore } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
let folder: string;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
  folder = mkdtempSync(join(tmpdir(), 'comparisons-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await bullpen?.close();
});

/** A task with a checkpoint of each content of its one file. */
async function aTask(...contents: readonly (string | Buffer)[]): Promise<{ id: string; ids: string[] }> {
  const { id } = await client.tasks.create({ agent: 'explorer', prompt: 'Change.' });
  const workspace = join(folder, id);
  mkdirSync(workspace);
  const packs = new PostgresPackStore(bullpen.pool);
  const shadow = { folder: `${workspace}.shadow` };
  const engine = new Checkpoints({ shadow, workspace, line: id, packs, coverage: {}, owner: null });
  const ids: string[] = [];
  let parent: string | null = null;
  for (const content of contents) {
    writeFileSync(join(workspace, 'f'), content);
    const taken = await engine.take({ parent }, AbortSignal.timeout(30_000));
    if (taken.kind !== 'taken') throw new Error(JSON.stringify(taken));
    parent = taken.commit;
    const checkpoint = newId('ckpt');
    ids.push(checkpoint);
    await bullpen.prisma.checkpoint.create({
      data: {
        ...{ id: checkpoint, taskId: id, rootId: id, tenantId: 'default', workspaceId: id, reason: 'turn' },
        ...{ turn: 1, messageSeq: 1, eventSeq: 2, commit: parent, files: 1, leftOut: [], bytes: 1 },
      },
    });
  }
  return { id, ids };
}
const place = (name: string) => {
  const made = join(folder, name);
  mkdirSync(made);
  return made;
};

describe('two checkpoints', () => {
  it('are compared, in either order; one alone with the newest of its workspace', async () => {
    const { ids } = await aTask('one\n', 'two\n', 'two\nthree\n');
    const [first = '', second = '', third = ''] = ids;
    const change = { path: 'f', status: 'changed', insertions: 1, deletions: 1 };
    expect(await client.checkpoints.compare(first, second)).toMatchObject({
      ...{ from: first, to: second },
      diffstat: { files: 1, list: [change] },
    });
    expect((await client.checkpoints.compare(first)).to).toBe(third);
    expect((await client.checkpoints.compare(third, second)).diffstat.deletions).toBe(1);
    expect((await client.checkpoints.compare(third)).diffstat.files).toBe(0);
  });

  it('of different trees give a patch that makes one of the other, to the byte', async () => {
    const [mine, theirs] = [
      Buffer.from([0xe9, 13, 10, 0x66, 32, 10, 12]),
      Buffer.from([0xe8, 13, 0x66, 32, 10]),
    ];
    const [a, b] = [await aTask(mine), await aTask(theirs)];
    const dir = place('patched');
    writeFileSync(join(dir, 'f'), mine);
    const input = await buffer(await client.checkpoints.comparePatch(a.ids[0] ?? '', b.ids[0]));
    execFileSync('git', ['apply'], { cwd: dir, input });
    expect(readFileSync(join(dir, 'f'))).toEqual(theirs);
  });

  it('are nobody else’s, and say when their objects are gone', async () => {
    const { id, ids } = await aTask('one\n', 'two\n');
    const [from, to] = ids;
    for (const path of [`/v1/checkpoints/${from}/diff`, `/v1/checkpoints/${from}/patch?to=${to}`])
      expect((await bullpen.call(path, { key: bullpen.otherKey })).status).toBe(404);
    const other = await problemFrom(await bullpen.call(`/v1/checkpoints/${from}/diff?to=${newId('ckpt')}`));
    expect(other).toMatchObject({ status: 404, code: 'not_found' });
    await new PostgresPackStore(bullpen.pool).removeLine(id);
    const gone = await problemFrom(await bullpen.call(`/v1/checkpoints/${from}/diff`));
    expect(gone).toMatchObject({ status: 409, code: 'checkpoint_unavailable' });
  });
});

describe('an archive', () => {
  it('has the files of a checkpoint, or of a task as they were stored last', async () => {
    const { id, ids } = await aTask('one\n', 'two\n');
    const unpacked = async (archive: Promise<ReadableStream<Uint8Array>>, name: string) => {
      const into = place(`${id}-${name}`);
      execFileSync('tar', ['-xz', '-C', into], { input: await buffer(await archive) });
      return readFileSync(join(into, 'f'), 'utf8');
    };
    expect(await unpacked(client.checkpoints.archive(ids[0] ?? ''), 'first')).toBe('one\n');
    expect(await unpacked(client.checkpoints.archiveOfTask(id), 'last')).toBe('two\n');
    const { headers } = await bullpen.call(`/v1/tasks/${id}/archive`);
    expect([headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      ...['application/gzip', `attachment; filename="${id}.tar.gz"`],
    ]);
  });

  it('is nobody else’s, and there is none of a task that has stored nothing', async () => {
    const { id, ids } = await aTask('one\n');
    for (const path of [`/v1/tasks/${id}/archive`, `/v1/checkpoints/${ids[0]}/archive`])
      expect((await bullpen.call(path, { key: bullpen.otherKey })).status).toBe(404);
    const empty = await client.tasks.create({ agent: 'explorer', prompt: 'Look.' });
    const none = await problemFrom(await bullpen.call(`/v1/tasks/${empty.id}/archive`));
    expect(none).toMatchObject({ status: 409, code: 'checkpoint_unavailable' });
  });
});
