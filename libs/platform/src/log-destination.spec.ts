import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { logDestination } from './log-destination.js';
import { createLogger } from './logger.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;

describe('a log that cannot be written', () => {
  it('does not end the process that speaks', () => {
    const full = openSync('/dev/full', 'w');
    const logger = createLogger({ name: 'part', level: 'info', destination: logDestination(full) });
    for (let n = 0; n < 3; n += 1) logger.info('lost');
    closeSync(full);
  });

  asRoot('says how much was lost when the disk has room again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'none', folder]);
    try {
      const path = join(folder, 'log');
      const filler = join(folder, 'filler');
      const fd = openSync(path, 'a');
      const logger = createLogger({ name: 'part', level: 'info', destination: logDestination(fd) });
      expect(() => writeFileSync(filler, Buffer.alloc(64_000))).toThrow('ENOSPC');
      for (let n = 0; n < 3; n += 1) logger.info('lost');
      truncateSync(filler);
      logger.info('written');
      logger.info('as ever');
      closeSync(fd);
      const lines = readFileSync(path, 'utf8').trim().split('\n').filter(Boolean);
      expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
        { msg: 'written' },
        { level: 'warn', name: 'part', lost: 3, msg: expect.stringContaining('are lost') },
        { msg: 'as ever' },
      ]);
    } finally {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    }
  });
});
