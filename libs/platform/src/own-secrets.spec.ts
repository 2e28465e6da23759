import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseEnv, type Env } from './env.js';
import { ownSecrets } from './own-secrets.js';
import { secretLines } from './secret-values.js';
import { workerSettings } from './settings.js';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterAll(() => rmSync(home, { recursive: true }));

const secretsOf = (env: Env) => ownSecrets(parseEnv(workerSettings, { BULLPEN_HOME: home, ...env }));

describe('the secrets of a process', () => {
  it('are those that packages of clouds find in the environment', () => {
    const before = process.env;
    process.env = {
      ...before,
      AWS_SECRET_ACCESS_KEY: 'wJalr',
      AWS_SESSION_TOKEN: '',
      AWS_REGION: 'eu-west-1',
    };
    const found = secretsOf({}).filter(({ name }) => name.startsWith('AWS'));
    process.env = before;
    expect(found).toEqual([{ name: 'AWS_SECRET_ACCESS_KEY', value: 'wJalr' }]);
  });

  it('are the keys of its settings, and of URLs their passwords, as they are meant', () => {
    const secrets = secretsOf({
      ANTHROPIC_API_KEY: 'sk-ant-1',
      DATABASE_URL: 'postgres://me:p%40ss%2Fword@db/x?sslpassword=other',
      REDIS_URL: 'redis://:only@cache',
      HTTPS_PROXY: 'user:pass@proxy:8080',
      HTTP_PROXY: 'http://token@proxy',
      ANTHROPIC_BASE_URL: 'https://me:mine@models.example',
    });
    expect(secrets).toEqual([
      { name: 'DATABASE_URL', value: 'p@ss/word' },
      { name: 'DATABASE_URL', value: 'other' },
      { name: 'REDIS_URL', value: 'only' },
      { name: 'ANTHROPIC_API_KEY', value: 'sk-ant-1' },
      { name: 'ANTHROPIC_BASE_URL', value: 'mine' },
      { name: 'HTTPS_PROXY', value: 'pass' },
      { name: 'HTTP_PROXY', value: 'token' },
    ]);
  });

  it('do not hold what is no secret', () => {
    const env = { DATABASE_URL: 'postgres://db/x', ANTHROPIC_API_KEY: 'simulated', MODEL_SIMULATED: 'true' };
    expect(secretsOf(env)).toEqual([]);
  });

  it('hold the key of this machine once there is one', () => {
    const file = join(home, 'key');
    writeFileSync(file, 'bp_123\n');
    expect(secretsOf({})).toEqual([{ name: 'BULLPEN_API_KEY', value: 'bp_123\n' }]);
    rmSync(file);
  });
});

describe('SECRET_VALUES', () => {
  const valuesOf = (text: string) =>
    Object.fromEntries(secretsOf({ SECRET_VALUES: text }).map(({ name, value }) => [name, value]));

  it('are lines of an environment file', () => {
    const text = [
      '# a comment',
      '',
      'PLAIN=ab#cd "e" ',
      "export RAW='a $b \\n'",
      'QUOTED = "two\\nlines and a \\""',
      'KEY="-----BEGIN-----',
      'abc',
      '-----END-----"',
      'EMPTY=',
    ].join('\r\n');
    expect(valuesOf(text)).toEqual({
      PLAIN: 'ab#cd "e"',
      RAW: 'a $b \\n',
      QUOTED: 'two\nlines and a "',
      KEY: '-----BEGIN-----\nabc\n-----END-----',
      EMPTY: '',
    });
  });

  it('are handed on as they were', () => {
    const values = { A: 'a "b" \\n c', B: 'two\nlines', C: '#d' };
    const list = Object.entries(values).map(([name, value]) => ({ name, value }));
    expect(valuesOf(secretLines(list))).toEqual(values);
  });

  it('are a JSON object', () => {
    expect(valuesOf('{"A": "b\\nc"}')).toEqual({ A: 'b\nc' });
  });

  it.each([
    ['A=1\nhunter2 hunter2\nB=2', 'line 2'],
    ['{"A": {"b": "hunter2"}}', 'must be a JSON object'],
    ['{"A": "hunter2"', 'must be a JSON object'],
  ])('are refused without a word of a value: %j', (text, problem) => {
    const parse = () => secretsOf({ SECRET_VALUES: text });
    expect(parse).toThrow(problem);
    expect(parse).not.toThrow('hunter2');
  });

  it('come from a file that nobody else can read', () => {
    const file = join(home, 'values');
    writeFileSync(file, 'A=b\n', { mode: 0o600 });
    expect(secretsOf({ SECRET_VALUES_FILE: file })).toEqual([{ name: 'A', value: 'b' }]);
    chmodSync(file, 0o640);
    expect(() => secretsOf({ SECRET_VALUES_FILE: file })).toThrow(`chmod 600 ${file}`);
  });
});
