import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { patternProblem, ripgrepMessages, type RipgrepMessage } from './ripgrep.js';

const never = new AbortController().signal;
let cwd: string;

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'rg-'));
  await writeFile(path.join(cwd, 'a'), 'one\ntwo one\n');
  await writeFile(path.join(cwd, 'binary'), 'one\n\0');
  await writeFile(path.join(cwd, 'long'), `${'ab'.repeat(1_000_000)}\n`);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function messages(...args: string[]): Promise<{ found: RipgrepMessage[]; unreadable: number }> {
  const found: RipgrepMessage[] = [];
  const stream = ripgrepMessages({ cwd, args }, never);
  for (let next = await stream.next(); ; next = await stream.next()) {
    if (next.done) return { found, unreadable: next.value };
    found.push(next.value);
  }
}

describe('ripgrep', () => {
  it('gives its matches as messages, and says which files are binary', async () => {
    const { found } = await messages('--no-mmap', '--regexp=one', '--threads=1', '--', './a', './binary');
    expect(found.filter((message) => message.type === 'match')).toHaveLength(3);
    const ends = found.flatMap((message) => (message.type === 'end' ? [message.data.binary_offset] : []));
    expect(ends).toEqual([null, 4]);
  });

  it('gives the first matches of a line whose message is too long to be kept', async () => {
    const { found } = await messages('--regexp=b', '--', './long');
    const match = found.find((message) => message.type === 'match');
    expect(match).toMatchObject({ data: { line_number: 1 } });
    expect(match).toHaveProperty('data.submatches.0.start', 1);
  });

  it('counts what it could not read', async () => {
    expect(await messages('--regexp=one', '--', './a', './none')).toMatchObject({ unreadable: 1 });
  });

  it('is ended when its reader stops early, and on abort', async () => {
    for await (const message of ripgrepMessages({ cwd, args: ['--regexp=one', '--', './a'] }, never)) {
      expect(message.type).toBe('begin');
      break;
    }
    const aborted = ripgrepMessages(
      { cwd, args: ['--regexp=one', '--', './a'] },
      AbortSignal.abort(new Error('stop')),
    );
    await expect(aborted.next()).rejects.toThrow('stop');
  });

  it('says why it does not take a pattern', async () => {
    expect(await patternProblem('a(b', never)).toContain('unclosed group');
    expect(await patternProblem('-rf', never)).toBeNull();
  });
});
