import { expect, it } from '@jest/globals';
import { Gather } from './gather.js';

/** Batches that end when told to. */
function heldWork() {
  const begun: {
    items: readonly string[];
    end: (results?: readonly string[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const work = (items: readonly string[]) =>
    new Promise<readonly string[]>((resolve, reject) =>
      begun.push({
        items,
        end: (results = items.map((item) => `${item}!`)) => resolve(results),
        fail: reject,
      }),
    );
  return { begun, work, items: () => begun.map(({ items }) => items.join('')) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('what is asked for at the same moment is one batch, and each item gets its own result', async () => {
  const held = heldWork();
  const gather = new Gather({ ...held, lanes: 2, most: 64 });
  const results = Promise.all(['a', 'b', 'c'].map((item) => gather.ask(item)));
  await turn();
  expect(held.items()).toEqual(['abc']);
  held.begun[0]?.end();
  expect(await results).toEqual(['a!', 'b!', 'c!']);
});

it('what is asked for while all lanes are busy goes together when one is free', async () => {
  const held = heldWork();
  const gather = new Gather({ ...held, lanes: 2, most: 3 });
  const first = gather.ask('a');
  await turn();
  const second = gather.ask('b');
  await turn();
  const others = ['c', 'd', 'e', 'f'].map((item) => gather.ask(item));
  await turn();
  expect(held.items()).toEqual(['a', 'b']);
  held.begun[1]?.end();
  expect(await second).toBe('b!');
  await turn();
  expect(held.items()).toEqual(['a', 'b', 'cde']);
  held.begun[0]?.end();
  expect(await first).toBe('a!');
  await turn();
  expect(held.items()).toEqual(['a', 'b', 'cde', 'f']);
  held.begun[2]?.end();
  held.begun[3]?.end();
  expect(await Promise.all(others)).toEqual(['c!', 'd!', 'e!', 'f!']);
});

it('items of one key are never in two lanes, and do not hold up those behind them', async () => {
  const held = heldWork();
  const gather = new Gather({ ...held, lanes: 2, most: 64, keyOf: (item: string) => item.slice(0, 1) });
  const all = [gather.ask('a1')];
  await turn();
  all.push(gather.ask('a2'), gather.ask('b1'), gather.ask('a3'));
  await turn();
  expect(held.items()).toEqual(['a1', 'b1']);
  held.begun[0]?.end();
  await all[0];
  await turn();
  expect(held.items()).toEqual(['a1', 'b1', 'a2a3']);
  held.begun[1]?.end();
  held.begun[2]?.end();
  expect(await Promise.all(all)).toEqual(['a1!', 'a2!', 'b1!', 'a3!']);
});

it('items of different kinds never share a batch, and the one that was asked for first goes first', async () => {
  const held = heldWork();
  const gather = new Gather({ ...held, lanes: 1, most: 64, kindOf: (item: string) => item.slice(0, 1) });
  const all = Promise.all(['a1', 'b1', 'a2', 'b2'].map((item) => gather.ask(item)));
  await turn();
  expect(held.items()).toEqual(['a1a2']);
  held.begun[0]?.end();
  await turn();
  expect(held.items()).toEqual(['a1a2', 'b1b2']);
  held.begun[1]?.end();
  expect(await all).toEqual(['a1!', 'b1!', 'a2!', 'b2!']);
});

it('a batch that fails rejects its own items and frees its lane', async () => {
  const held = heldWork();
  const gather = new Gather({ ...held, lanes: 1, most: 64 });
  const lost = Promise.allSettled([gather.ask('a'), gather.ask('b')]);
  await turn();
  const next = gather.ask('c');
  await turn();
  held.begun[0]?.fail(new Error('away'));
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await turn();
  held.begun[1]?.end();
  expect(await next).toBe('c!');
});

it('a batch with too few results is an error of all its items, not a lost one', async () => {
  const held = heldWork();
  const gather = new Gather({ ...held, lanes: 1, most: 64 });
  const asked = Promise.allSettled([gather.ask('a'), gather.ask('b')]);
  await turn();
  held.begun[0]?.end(['a!']);
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});
