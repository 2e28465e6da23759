import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPeers } from './install.js';

describe('installing the peers', () => {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  let cache: string;

  beforeEach(async () => {
    said.length = 0;
    cache = await mkdtemp(join(tmpdir(), 'bench-peers-'));
  });

  afterEach(async () => {
    await rm(cache, { recursive: true, force: true });
  });

  it('says why there are none without a network, and leaves nothing half installed', async () => {
    // No network, and an empty cache instead of one that could do without it.
    const offline = ['--offline', '--cache', join(cache, 'npm')];
    expect(await installPeers(join(cache, 'peers'), say, offline)).toEqual({
      problem: expect.stringMatching(/^not installed: npm ci: request to .* failed/),
    });
    expect(said).toEqual(['installing the peers']);
    expect(await readdir(join(cache, 'peers'))).toEqual([]);
  });

  it('takes those that an earlier run has installed, without asking anybody', async () => {
    const lock = await readFile(new URL('../../peers/package-lock.json', import.meta.url));
    const folder = join(cache, 'peers', createHash('sha256').update(lock).digest('hex').slice(0, 12));
    await mkdir(folder, { recursive: true });
    expect(await installPeers(join(cache, 'peers'), say)).toEqual({ folder });
    expect(said).toEqual([]);
  });
});
