/** Processes over HTTP: listed, read by ranges, ended, and nobody else's. */
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type BullpenClient } from '@bullpen/client';
import type { BusMessage } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { waitFor } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
let taskId: string;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
  taskId = (await client.tasks.create({ agent: 'explorer', prompt: 'Look.' })).id;
});
afterAll(() => bullpen?.close());

/** A process as a worker would have written it down. */
async function aProcess(change: { state?: 'running' | 'exited'; host?: string; outputBytes?: number } = {}) {
  const id = newId('proc');
  await bullpen.prisma.process.create({
    data: {
      ...{ id, taskId, callId: newId('call'), workerId: newId('worker'), pidSpace: 'here' },
      ...{ host: hostname(), command: 'npm test', limitMs: 60_000, ...change },
    },
  });
  return id;
}

async function withOutput(id: string, pieces: Record<number, Buffer>): Promise<void> {
  const folder = join(bullpen.home, 'outputs', taskId, id);
  await mkdir(folder, { recursive: true });
  for (const [from, bytes] of Object.entries(pieces)) await writeFile(join(folder, from), bytes);
}

describe('processes', () => {
  it('are listed by pages, newest first, and found by a piece of their id', async () => {
    const ids = [await aProcess(), await aProcess(), await aProcess()];
    const first = await client.processes.list(taskId, { limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    const second = await client.processes.list(taskId, { limit: 2, after: first.nextCursor ?? '' });
    expect(second.data.map(({ id }) => id)).toEqual([ids[0]]);
    expect(second.hasMore).toBe(false);
    expect((await client.ids.find({ kind: 'proc', piece: ids[1] as string })).data).toMatchObject([
      { id: ids[1], title: 'npm test' },
    ]);
    const wrong = await bullpen.call(`/v1/tasks/${taskId}/processes?after=x`);
    expect(await problemFrom(wrong)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('give their output by ranges that split no character, and say what was left out', async () => {
    const id = await aProcess({ state: 'exited' });
    await withOutput(id, { 0: Buffer.from('a한b'), 10: Buffer.from([0xe9, 0x00, 0x0a]) });
    const get = (query: object) => client.processes.output(id, query);
    expect(await get({})).toEqual({
      ...{ processId: id, state: 'exited', encoding: 'text', from: 0, to: 5, size: 13 },
      ...{ leftOut: [{ from: 5, to: 10 }], data: 'a한b' },
    });
    expect(await get({ from: 5 })).toMatchObject({ from: 10, to: 13, data: '\\xe9\\x00\n' });
    expect(await get({ from: -3 })).toMatchObject({ from: 10, data: '\\xe9\\x00\n' });
    expect(await get({ from: 2 })).toMatchObject({ from: 4, to: 5, data: 'b' });
    expect(await get({ from: 99 })).toMatchObject({ from: 13, to: 13, data: '' });
    const raw = await get({ from: 1, limit: 2, encoding: 'base64' });
    expect([raw.from, raw.to, Buffer.from(raw.data, 'base64')]).toEqual([1, 3, Buffer.from([0xed, 0x95])]);
    const wrong = await bullpen.call(`/v1/processes/${id}/output?limit=99999999`);
    expect(await problemFrom(wrong)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('that have put out nothing have no output; what is elsewhere or gone is told', async () => {
    const quiet = await aProcess();
    expect(await client.processes.output(quiet)).toMatchObject({ state: 'running', size: 0, data: '' });
    const elsewhere = await aProcess({ host: 'build-9', outputBytes: 7 });
    const answer = await bullpen.call(`/v1/processes/${elsewhere}/output`);
    expect(await problemFrom(answer)).toMatchObject({
      ...{ status: 409, code: 'output_elsewhere' },
      detail: expect.stringContaining('build-9'),
    });
    const gone = await aProcess({ state: 'exited', outputBytes: 7 });
    expect(await problemFrom(await bullpen.call(`/v1/processes/${gone}/output`))).toMatchObject({
      status: 410,
      code: 'output_gone',
    });
  });

  it('are ended, or moved to the background, by their worker, which is told and can look it up', async () => {
    const heard: BusMessage[] = [];
    const stop = await bullpen.bus.subscribe((message) => heard.push(message));
    const id = await aProcess();
    expect(await client.processes.kill(id)).toMatchObject({ id, state: 'running' });
    await client.processes.toBackground(id);
    await waitFor(() => heard.some((message) => message.kind === 'process' && message.processId === id), {
      what: 'the message',
    });
    await stop();
    const row = await bullpen.prisma.process.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ killRequestedBy: 'test', backgroundRequestedBy: 'test' });

    const over = await aProcess({ state: 'exited' });
    expect(await client.processes.kill(over)).toMatchObject({ state: 'exited' });
    const moved = await bullpen.post(`/v1/processes/${over}/background`);
    expect(await problemFrom(moved)).toMatchObject({ status: 409, code: 'process_ended' });
  });

  it('are nobody else’s', async () => {
    const id = await aProcess();
    for (const [method, path] of [
      ['GET', `/v1/tasks/${taskId}/processes`],
      ['GET', `/v1/processes/${id}`],
      ['GET', `/v1/processes/${id}/output`],
      ['POST', `/v1/processes/${id}/kill`],
      ['POST', `/v1/processes/${id}/background`],
    ] as const) {
      const answer = await bullpen.call(path, { method, key: bullpen.otherKey });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect(await bullpen.prisma.process.findUniqueOrThrow({ where: { id } })).toMatchObject({
      killRequestedBy: null,
    });
    expect((await bullpen.call('/v1/processes/nonsense')).status).toBe(404);
  });
});
