import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GitFailed, GitProgram } from './git-program.js';

let folder: string;
let git: GitProgram;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'git-program-'));
  git = new GitProgram(path.join(folder, 'store'));
  await git.run(['init', '--bare', '--quiet', '--template=', git.folder]);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('git on a store of our own', () => {
  it('answers with what the step printed, byte by byte', async () => {
    const bytes = Buffer.from([0, 255, 10, 13, 128]);
    const id = await git.line(['hash-object', '-w', '--stdin'], { input: bytes });
    expect(await git.run(['cat-file', 'blob', id])).toEqual(bytes);
  });

  it('takes no answer from a step that failed, whatever it printed before', async () => {
    const id = await git.line(['hash-object', '-w', '--stdin'], { input: 'there' });
    const step = git.run(['show', '--end-of-options', id, 'nothing-of-that-name']);
    await expect(step).rejects.toThrow(GitFailed);
  });

  it('says so when there is no git on the machine', async () => {
    const none = new GitProgram(folder, path.join(folder, 'no-such-program'));
    await expect(none.run(['version'])).rejects.toMatchObject({ isMissing: true });
  });

  it('hands nothing on of what the environment says about git', async () => {
    const ran = path.join(folder, 'RAN');
    const hostile = {
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=touch ${ran};' 'user.name=stranger'`,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: 'stranger',
      GIT_ALTERNATE_OBJECT_DIRECTORIES: folder,
      GIT_TRACE: path.join(folder, 'trace'),
    };
    const before = { ...process.env };
    Object.assign(process.env, hostile);
    try {
      await expect(git.line(['config', '--get', 'user.name'])).rejects.toThrow(GitFailed);
      expect(await git.line(['var', 'GIT_COMMITTER_IDENT'])).toMatch(/^bullpen <bullpen@localhost>/);
    } finally {
      process.env = before;
    }
    expect([existsSync(ran), existsSync(hostile.GIT_TRACE)]).toEqual([false, false]);
  });

  it('ends the program when nobody wants its answer any more', async () => {
    const stopping = new AbortController();
    const step = git.run(['cat-file', '--batch'], { input: endless(), signal: stopping.signal });
    stopping.abort(new Error('enough'));
    await expect(step).rejects.toThrow('enough');
  });
});

async function* endless(): AsyncGenerator<Uint8Array> {
  for (;;) {
    yield Buffer.from('0\n');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
