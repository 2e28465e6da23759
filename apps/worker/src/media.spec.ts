/** Pictures on their way through a real worker to the model. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { Attachments } from '@bullpen/store';
import { queueBackends } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/** A whole PNG of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(4);
    head.writeUInt32BE(data.length);
    return Buffer.concat([head, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (1 + width * 3));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', size),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const [attached, drawn] = [png(64, 32), png(320, 200)];
/** Digests of the pictures in each request, in their order. */
const seen: string[][] = [];

function digests(turn: AgentTurn): string[] {
  const found: string[] = [];
  JSON.stringify(turn.messages, (key, value: { type?: string; source?: { data?: string } }) => {
    if (value?.type === 'image')
      found.push(
        createHash('sha256')
          .update(Buffer.from(value.source?.data ?? '', 'base64'))
          .digest('hex'),
      );
    return value;
  });
  return found;
}

function looks(turn: AgentTurn): Reply {
  seen.push(digests(turn));
  if (turn.turnIndex === 0) return { toolCalls: [{ name: 'read_file', input: { path: 'shot.png' } }] };
  if (turn.turnIndex === 1) return { toolCalls: [{ name: 'list_files', input: {} }] };
  return { text: 'ok' };
}

let world: WorkerWorld;
beforeAll(async () => {
  const [backend] = queueBackends();
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, defineScenario({ name: 'media', agents: { general: looks } }));
  mkdirSync(join(world.home, 'project'));
  writeFileSync(join(world.home, 'project/shot.png'), drawn);
});
afterAll(async () => {
  await world.expectInvariants();
  await world.close();
});

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex');

it('brings an attachment and the picture that a tool read to the model, in each request of the task', async () => {
  const kept = await new Attachments(world.pool).keep('default', attached);
  await world.start();
  const items = [{ kind: 'attachment' as const, sha256: kept?.sha256 ?? '', name: 'logo.png' }];
  const id = await world.submit(
    'look',
    {},
    null,
    { kind: 'path', path: join(world.home, 'project'), copy: true },
    items,
  );
  await world.until(id, 'completed');
  const both = [digestOf(attached), digestOf(drawn)];
  expect(seen).toEqual([[digestOf(attached)], both, both]);
  const { rows } = await world.pool.query<{ media: unknown; output: string }>(
    `SELECT media, output FROM tool_calls WHERE task_id = $1 AND tool = 'read_file'`,
    [id],
  );
  expect(rows).toMatchObject([
    {
      media: [{ sha256: digestOf(drawn), width: 320, height: 200 }],
      output: expect.stringContaining('320x200'),
    },
  ]);
});
