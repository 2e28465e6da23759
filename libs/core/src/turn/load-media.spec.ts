import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Briefing, Media } from '@bullpen/contracts';
import { mediaFacts, runTask, type LoopDeps, type MediaStore } from '@bullpen/core';
import { pngHead, type ScriptedStep } from '@bullpen/testing';
import { crashAt, never, World } from '../../test/loop-world.js';

/** Keeps contents in memory. */
class Shelf implements MediaStore {
  readonly contents = new Map<string, Uint8Array>();

  keep(_tenant: string, content: Uint8Array): Promise<Media | null> {
    const sha256 = createHash('sha256').update(content).digest('hex');
    const facts = mediaFacts(content);
    if (facts !== null) this.contents.set(sha256, content);
    return Promise.resolve(facts && { sha256, ...facts });
  }
  describe(): Promise<null> {
    return Promise.resolve(null);
  }
  read(_tenant: string, sha256: string): Promise<string | null> {
    const content = this.contents.get(sha256);
    return Promise.resolve(content === undefined ? null : Buffer.from(content).toString('base64'));
  }
}

let world: World;
let shelf: Shelf;
beforeEach(() => {
  world = new World();
  shelf = new Shelf();
  world.read.run = () => ({ kind: 'result', output: 'a.png: image', media: [pngHead(320, 200)] });
});

async function briefed(content: Buffer): Promise<Partial<LoopDeps>> {
  const media = await shelf.keep('t', content);
  const found = { bytes: 33, sha256: '', text: 'image (png), 64x32, 33 bytes', cut: false, problem: null };
  const items = [{ kind: 'attachment' as const, name: 'logo.png', ...found, ...(media && { media }) }];
  const briefing: Briefing = { environment: '', rules: [], items };
  return {
    media: shelf,
    surroundings: { brief: () => Promise.resolve(briefing), rulesIn: () => Promise.resolve([]) },
  };
}

describe('pictures in a run', () => {
  it('are in every request, with their bytes, right behind the words that name them', async () => {
    const deps = world.deps(await briefed(pngHead(64, 32)));
    world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'Seen.' });
    await world.drain(deps);
    const [first, second] = world.model.requests;
    expect(first?.messages[0]?.content.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect([first?.media?.size, second?.media?.size]).toEqual([1, 2]);
    expect(second?.messages[2]?.content).toMatchObject([
      { type: 'tool_result', content: 'a.png: image', media: [{ width: 320, height: 200 }] },
    ]);
  });

  it('are the same in each request after a crash at any step', async () => {
    const plain = new World();
    plain.read.run = world.read.run;
    // Asked as often as it takes: a call that was lost with its worker is made again.
    const answer: ScriptedStep = ({ messages }) =>
      messages.length === 1 ? { toolCalls: [{ id: 'toolu_1', name: 'read' }] } : { text: 'Seen.' };
    const answers = [answer, answer, answer];
    plain.submit({}, ...answers);
    await plain.drain(plain.deps(await briefed(pngHead(64, 32))));
    const wanted = JSON.stringify(plain.model.requests.at(-1)?.messages);
    for (let at = 1; at <= 6; at += 1) {
      world = new World();
      world.read.run = plain.read.run;
      world.submit({}, ...answers);
      const deps = world.deps(await briefed(pngHead(64, 32)));
      const lease = await world.store.claimNext('worker_1');
      crashAt(world.store, at, 'after');
      await (lease && runTask(lease, deps, never).catch(() => undefined));
      world.store.expire('task_root');
      await world.drain(deps);
      expect(world.store.get('task_root').outcome?.state).toBe('completed');
      expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toBe(wanted);
    }
  });

  it('end the task when they are gone, by name, before anything is paid', async () => {
    const deps = world.deps(await briefed(pngHead(64, 32)));
    shelf.contents.clear();
    const task = world.submit({}, { text: 'Never asked.' });
    await world.drain(deps);
    expect(world.model.requests).toEqual([]);
    expect(task.outcome?.failure).toMatchObject({
      code: 'media_lost',
      message: expect.stringContaining('image (png), 64x32'),
    });
    expect(task.usage).toEqual([]);
  });

  it('are words where nothing keeps them', async () => {
    world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'Seen.' });
    await world.drain();
    expect(world.model.requests[1]?.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'a.png: image' },
    ]);
  });
});
