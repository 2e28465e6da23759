/** The judge of the streams: the product passes, and each kind of broken parser is seen. */
import { describe, expect, it } from '@jest/globals';
import type { ParsedAnswer } from '@bullpen/core';
import { judgeStreams, NONE } from './judge-streams.js';
import { readStream, type ReadStream } from './read-stream.js';
import { streams } from './streams.js';

const COUNT = 250;

async function judged(read: ReadStream, hangMs?: number) {
  const { counts, examples } = await judgeStreams(streams(COUNT, 1), read, hangMs);
  return { ...counts, examples };
}

/** A parser that is right but for what `change` does. */
const broken =
  (change: (answer: ParsedAnswer) => ParsedAnswer): ReadStream =>
  async (stream) =>
    change(await readStream(stream));

describe('streams', () => {
  it('are as many as asked for, and the same for the same seed', () => {
    const names = [...streams(COUNT, 7)].map(({ name }) => name);
    expect(names).toHaveLength(COUNT);
    expect(new Set(names).size).toBe(COUNT);
    expect([...streams(COUNT, 7)].map(({ name }) => name)).toEqual(names);
  });

  it('are read without a fault', async () => {
    expect(await judged(readStream)).toEqual({ ...NONE, streams: COUNT, examples: [] });
  });
});

describe('the judge sees a parser that', () => {
  it('runs calls of answers that were cut', async () => {
    const runs = broken((answer) => ({
      ...answer,
      toolCalls: answer.toolCalls.map((call) => ({
        ...call,
        problem: null,
        arguments: JSON.parse(call.rawArguments || '{}'),
      })),
    }));
    expect((await judged(runs)).partialToolRuns).toBeGreaterThan(0);
  });

  it('makes up what is missing of arguments', async () => {
    const made = broken((answer) => ({
      ...answer,
      toolCalls: answer.toolCalls.map((call) => ({
        ...call,
        arguments: { ...Object(call.arguments), path: 'x' },
      })),
    }));
    expect((await judged(made)).partialToolRuns).toBeGreaterThan(0);
  });

  it('gives text twice', async () => {
    expect(
      (await judged(broken((answer) => ({ ...answer, text: answer.text + answer.text })))).doubledText,
    ).toBeGreaterThan(0);
  });

  it('loses calls, or words', async () => {
    expect(
      (await judged(broken((answer) => ({ ...answer, toolCalls: answer.toolCalls.slice(1) })))).lost,
    ).toBeGreaterThan(0);
    expect(
      (await judged(broken((answer) => ({ ...answer, text: answer.text.slice(1) })))).lost,
    ).toBeGreaterThan(0);
  });

  it('leaves a call without its result, or the id of another', async () => {
    expect((await judged(broken((answer) => ({ ...answer, toolCalls: [] })))).unpaired).toBeGreaterThan(0);
    const alike = broken((answer) => ({
      ...answer,
      content: answer.content.map((block) => (block.type === 'tool_use' ? { ...block, id: 'one' } : block)),
    }));
    expect((await judged(alike)).unpaired).toBeGreaterThan(0);
  });

  it('throws, or never ends', async () => {
    expect((await judged(() => Promise.reject(new TypeError('x is undefined')))).crashes).toBe(COUNT);
    const { counts } = await judgeStreams(streams(5, 1), () => new Promise(() => undefined), 20);
    expect(counts.hangs).toBe(5);
  });
});
