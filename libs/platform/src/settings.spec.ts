import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseEnv } from './env.js';
import { describeSettings, gatewaySettings, upSettings, workerSettings } from './settings.js';

describe('settings', () => {
  it('need no variable at all', () => {
    expect(parseEnv(upSettings, {})).toEqual({
      LOG_LEVEL: 'info',
      BULLPEN_HOME: resolve('.bullpen'),
      QUEUE_PREFIX: 'bullpen',
      HOST: '127.0.0.1',
      INVARIANTS_EVERY_MS: 0,
      PORT: 7450,
      BODY_LIMIT_BYTES: 1_048_576,
      WORKSPACE_PATHS: 'any',
      WORKSPACE_IN_PLACE: false,
      GIT_HOSTS: 'any',
      GIT_PROTOCOLS: ['https'],
      CHECKPOINTS: true,
      CHECKPOINT_MAX_BYTES: 2_147_483_648,
      CHECKPOINT_MAX_MS: 60_000,
      CHECKPOINT_STORE: 'postgres',
      GIT_IDENTITY: 'Agent <agent@localhost>',
      MAX_STREAMS: 200,
      WORKER_SLOTS: 8,
      LEASE_MS: 15_000,
      RENEW_MS: 5_000,
      COMMAND_USER: 'nobody',
      SANDBOX: 'auto',
      DRAIN_MS: 10_000,
      MODEL_SIMULATED: false,
      PROMPT_BODIES: 'asked',
      PROMPT_BODIES_DAYS: 7,
      DEFAULT_MODEL: 'claude-sonnet-5-5',
      WORKERS: 2,
      SIM_PORT: 0,
      SIM_SPEED: 4,
    });
  });

  it('split listed workspace folders at colons', () => {
    expect(parseEnv(gatewaySettings, { WORKSPACE_PATHS: '/srv/a:/srv/b/../c' }).WORKSPACE_PATHS).toEqual([
      '/srv/a',
      '/srv/c',
    ]);
    expect(parseEnv(gatewaySettings, { WORKSPACE_PATHS: 'none' }).WORKSPACE_PATHS).toBe('none');
  });

  it('refuse a relative workspace folder', () => {
    expect(() => parseEnv(gatewaySettings, { WORKSPACE_PATHS: 'src' })).toThrow(
      'absolute paths separated by colons',
    );
  });

  it('take a folder for checkpoints by its whole path, and no other place than the database', () => {
    const place = (text: string) => parseEnv(gatewaySettings, { CHECKPOINT_STORE: text }).CHECKPOINT_STORE;
    expect(place('file:/mnt/shared/')).toEqual({ folder: '/mnt/shared' });
    for (const wrong of ['file:shared', 'file:', 's3://bucket', '/mnt/shared'])
      expect(() => place(wrong)).toThrow('CHECKPOINT_STORE: must be postgres, or file: and an absolute path');
  });

  it('take networks for webhooks, and refuse what is none', () => {
    const read = (text: string) =>
      parseEnv(gatewaySettings, { WEBHOOK_ALLOW_PRIVATE: text }).WEBHOOK_ALLOW_PRIVATE;
    expect(read('10.0.0.0/8, fd00::/8')).toEqual(['10.0.0.0/8', 'fd00::/8']);
    for (const wrong of ['10.0.0.1', '10.0.0.0/33', 'true', '10.0.0.0/8,lan'])
      expect(() => read(wrong)).toThrow('must be networks like 10.0.0.0/8');
  });

  it('refuse a renewal that comes too late for the lease, also when only one of the two is set', () => {
    expect(() => parseEnv(workerSettings, { LEASE_MS: '10000', RENEW_MS: '6000' })).toThrow(
      'less than half of LEASE_MS',
    );
    expect(() => parseEnv(workerSettings, { LEASE_MS: '9000' })).toThrow(
      'RENEW_MS: must be less than half of LEASE_MS (it is "5000"); set it',
    );
  });

  it('name the log levels when one is wrong', () => {
    expect(() => parseEnv(gatewaySettings, { LOG_LEVEL: 'loud' })).toThrow(
      'must be one of fatal, error, warn',
    );
  });

  it('are all described once, and every default is one that the schema takes', () => {
    const rows = describeSettings();
    expect(rows.map((row) => row.name).sort()).toEqual(Object.keys(upSettings.shape).sort());
    expect(rows.filter((row) => row.description === '')).toEqual([]);
    const defaults = Object.fromEntries(
      rows.flatMap((row) => (row.default === null ? [] : [[row.name, row.default]])),
    );
    expect(parseEnv(upSettings, defaults)).toEqual(parseEnv(upSettings, {}));
    expect(rows.filter((row) => row.secret).map((row) => row.name)).toEqual([
      'DATABASE_URL',
      'REDIS_URL',
      'SECRET_VALUES',
      'ANTHROPIC_API_KEY',
      'HTTPS_PROXY',
      'HTTP_PROXY',
      'GIT_CREDENTIALS',
    ]);
  });
});
