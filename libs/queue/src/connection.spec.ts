import { afterEach, describe, expect, it } from '@jest/globals';
import { createRedisBackend, getDefaultBackendFactory } from 'bullmq';
import {
  backendFactory,
  bullOptions,
  installDefaultBackend,
  nestBullRootOptions,
  QUEUE_NAME,
} from './connection.js';
import { postgresBackend } from './postgres-backend.js';

const POSTGRES = { kind: 'postgres', databaseUrl: 'postgres://localhost/bullpen' } as const;
const REDIS = { kind: 'redis', redisUrl: 'redis://localhost:6379/3', prefix: 'acme' } as const;

afterEach(() => installDefaultBackend(REDIS));

describe('the queue connection', () => {
  it('lets producers on Redis fail fast and workers wait', () => {
    expect(bullOptions(REDIS, 'producer')).toMatchObject({
      prefix: 'acme',
      connection: {
        url: REDIS.redisUrl,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 1,
        commandTimeout: 1_000,
      },
    });
    expect(bullOptions(REDIS, 'worker')).toMatchObject({
      prefix: 'acme',
      connection: { maxRetriesPerRequest: null },
    });
    expect(bullOptions(REDIS, 'worker').connection).not.toHaveProperty('commandTimeout');
  });

  it('keeps the tables on Postgres in a schema of their own and creates them', () => {
    expect(bullOptions(POSTGRES, 'worker').connection).toMatchObject({
      connectionString: POSTGRES.databaseUrl,
      schema: 'bullmq',
      migrate: true,
    });
  });

  it('names its backend, and installs it for those that ask for none', () => {
    expect(backendFactory(POSTGRES)).toBe(postgresBackend);
    expect(backendFactory(REDIS)).toBe(createRedisBackend);

    installDefaultBackend(POSTGRES);
    expect(getDefaultBackendFactory()).toBe(postgresBackend);
    installDefaultBackend(REDIS);
    expect(getDefaultBackendFactory()).toBe(createRedisBackend);
  });

  it('gives queues of @nestjs/bullmq the same limits', () => {
    expect(nestBullRootOptions(REDIS)).toMatchObject({
      prefix: 'acme',
      connection: { enableOfflineQueue: false },
      defaultJobOptions: { attempts: 1 },
      streams: { events: { maxLen: 1_000 } },
    });
  });

  it('has a queue name that BullMQ takes', () => {
    expect(QUEUE_NAME).not.toContain(':');
  });
});
