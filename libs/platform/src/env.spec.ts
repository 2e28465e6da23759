import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@bullpen/contracts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { decimal, flag, int, list, parseEnv, port, secret, url, type Env } from './env.js';

const schema = z.object({
  NAME: z.string().describe('What it is called.'),
  PORT: port().prefault('7450'),
  SLOTS: int({ min: 1, max: 10 }).prefault('8'),
  SPEED: decimal({ min: 0.5, max: 4 }).prefault('1'),
  FAST: flag().prefault('false'),
  HOSTS: list().optional(),
  KEY: secret(z.string(), 'A key.'),
  DATABASE: secret(url(['postgres']), 'A database.'),
});

function problemsOf(env: Env): string {
  try {
    parseEnv(schema, env);
  } catch (error) {
    if (error instanceof AppError && error.code === 'config_invalid') return error.message;
    throw error;
  }
  return '';
}

describe('parseEnv', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'env-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('fills in defaults and leaves optional variables out', () => {
    expect(parseEnv(schema, { NAME: 'a', UNRELATED: 'x' })).toEqual({
      NAME: 'a',
      PORT: 7450,
      SLOTS: 8,
      SPEED: 1,
      FAST: false,
    });
  });

  it('gives typed values', () => {
    const env = {
      NAME: 'a',
      PORT: '0',
      SLOTS: '10',
      SPEED: '2.5',
      FAST: 'Yes',
      HOSTS: 'a.example, b.example,',
    };
    expect(parseEnv(schema, env)).toEqual({
      NAME: 'a',
      PORT: 0,
      SLOTS: 10,
      SPEED: 2.5,
      FAST: true,
      HOSTS: ['a.example', 'b.example'],
    });
  });

  it('treats an empty variable as absent', () => {
    expect(parseEnv(schema, { NAME: 'a', PORT: '', HOSTS: '', KEY: '' })).not.toHaveProperty('HOSTS');
  });

  it('lists every problem at once, each with what is wrong and what to do', () => {
    const text = problemsOf({ PORT: '70000', SLOTS: '1.5', FAST: 'maybe', HOSTS: ' , ' });
    expect(text.split('\n')).toEqual([
      '5 settings are wrong:',
      '  NAME: is not set; set it. What it is called.',
      '  PORT: must be a whole number from 0 to 65535 (it is "70000"); change it, or remove it to use 7450',
      '  SLOTS: must be a whole number from 1 to 10 (it is "1.5"); change it, or remove it to use 8',
      '  FAST: must be true or false (it is "maybe"); change it, or remove it to use false',
      '  HOSTS: must hold at least one value; separate several by "," (it is " , "); change it, or remove it if it is not needed',
    ]);
  });

  it('never prints the value of a secret', () => {
    const text = problemsOf({ NAME: 'a', DATABASE: 'mysql://user:hunter2@host/db' });
    expect(text).toContain('DATABASE: must be a URL that starts with postgres://;');
    expect(text).not.toContain('hunter2');
  });

  it('reads a secret from a file when the variable is absent', () => {
    const file = join(folder, 'key');
    writeFileSync(file, 'sesame\n');
    expect(parseEnv(schema, { NAME: 'a', KEY_FILE: file }).KEY).toBe('sesame');
    expect(parseEnv(schema, { NAME: 'a', KEY_FILE: file, KEY: 'direct' }).KEY).toBe('direct');
  });

  it('reads files for secrets only', () => {
    const file = join(folder, 'name');
    writeFileSync(file, 'from-file');
    expect(problemsOf({ NAME_FILE: file })).toContain('NAME: is not set');
  });

  it('reports a secret file that is missing or empty under the name of the file variable', () => {
    const empty = join(folder, 'empty');
    writeFileSync(empty, '\n');
    expect(problemsOf({ NAME: 'a', KEY_FILE: join(folder, 'none') })).toMatch(
      /KEY_FILE: the file cannot be read \(ENOENT/,
    );
    expect(problemsOf({ NAME: 'a', KEY_FILE: empty })).toContain('is empty; put the secret into it');
  });
});
