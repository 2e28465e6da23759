import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { importantPart, lastLines, LogReader, openLog, readableLine, reasonIn } from './log-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bullpen-log-'));
  path = join(folder, 'logs', 'gateway.log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a log file', () => {
  it('is appended to, and rotated at a start when it has grown too large', () => {
    closeSync(openLog(path));
    writeFileSync(path, 'x'.repeat(20));
    closeSync(openLog(path, 20));
    expect(existsSync(`${path}.1`)).toBe(false);
    closeSync(openLog(path, 19));
    expect(readFileSync(`${path}.1`, 'utf8')).toHaveLength(20);
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('gives its last lines, of one start only when asked', () => {
    closeSync(openLog(path));
    writeFileSync(path, 'old\n\n');
    appendFileSync(path, 'new 1\nnew 2\n');
    expect(lastLines(path, 2)).toEqual(['new 1', 'new 2']);
    expect(lastLines(path, 9, 5)).toEqual(['new 1', 'new 2']);
    expect(lastLines(join(folder, 'none'), 3)).toEqual([]);
  });

  it('is read along, whole lines only', () => {
    closeSync(openLog(path));
    writeFileSync(path, 'before\n');
    const reader = new LogReader(path);
    appendFileSync(path, 'one\ntw');
    expect(reader.newLines()).toEqual(['one']);
    appendFileSync(path, 'o\n');
    expect(reader.newLines()).toEqual(['two']);
    writeFileSync(path, 'anew\n');
    expect(reader.newLines()).toEqual(['anew']);
  });
});

describe('a log line', () => {
  it('is important from warnings on', () => {
    expect(importantPart('{"level":"info","msg":"a"}')).toBeNull();
    expect(importantPart('{"level":"warn","msg":"a"}')).toEqual({ level: 'warn', text: 'a' });
    expect(importantPart('{"level":"error","msg":"a","err":{"message":"b"}}')).toEqual({
      level: 'error',
      text: 'a: b',
    });
    for (const line of ['plain', '{broken', '[1]', '{}']) expect(importantPart(line)).toBeNull();
  });

  it('is readable for people', () => {
    expect(readableLine('{"level":"info","msg":"a"}')).toBe('info: a');
    expect(readableLine('    at main.js:1')).toBe('    at main.js:1');
  });

  it('says why a process crashed', () => {
    expect(reasonIn(['x', 'Error [ERR_X]: no such thing', '    at a', 'Node.js v20'])).toBe(
      'Error [ERR_X]: no such thing',
    );
    expect(reasonIn(['{"level":"fatal","msg":"gone","err":{"message":"db"}}'])).toBe('gone: db');
    expect(reasonIn(['all is well'])).toBeNull();
  });
});
