/** What the gateway serves of the dashboard: one page for all screens, files that stay, and nothing for whoever is not signed in. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';
import { serveDashboard } from './dashboard.js';

const folder = mkdtempSync(join(tmpdir(), 'bullpen-dashboard-'));
let bare: FastifyInstance;
let bullpen: TestGateway;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>built</title>');
  writeFileSync(join(folder, 'assets/index-abc.js'), 'export {};');
  bare = fastify();
  await serveDashboard(bare, folder);
  bullpen = await startTestGateway();
});

afterAll(async () => {
  await Promise.all([bare.close(), bullpen.close()]);
  rmSync(folder, { recursive: true });
});

describe('the dashboard', () => {
  it('answers each screen with the same page, asked for anew each time', async () => {
    for (const url of ['/', '/tasks', '/tasks/task_1?tab=changes', '/settings']) {
      const { body, headers } = await bare.inject(url);
      expect([url, body, headers['cache-control']]).toEqual([
        url,
        '<!doctype html><title>built</title>',
        'no-cache',
      ]);
    }
    writeFileSync(join(folder, 'index.html'), 'built again');
    expect((await bare.inject('/')).body).toBe('built again');
  });

  it('gives files that browsers may keep, and only those that are there', async () => {
    const { headers } = await bare.inject('/assets/index-abc.js');
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'text/javascript; charset=utf-8',
      'private, max-age=31536000, immutable',
    ]);
    for (const url of ['/assets/../index.html', '/assets/other.js', '/nowhere'])
      expect([url, (await bare.inject(url)).statusCode]).toEqual([url, 404]);
  });

  it('says how it is built where it is not', async () => {
    const empty = fastify();
    await serveDashboard(empty, join(folder, 'none'));
    expect((await empty.inject('/')).body).toContain('npm run build');
    await empty.close();
  });

  it('leads whoever is not signed in to the login page, from each screen', async () => {
    const visit = (path: string, accept: string) =>
      bullpen.call(path, { key: null, redirect: 'manual', headers: { accept } });
    for (const path of ['/', '/inbox', '/tasks/task_1', '/admin/queues']) {
      const response = await visit(path, 'text/html');
      expect([path, response.status, response.headers.get('location')]).toEqual([path, 303, '/login']);
    }
    expect((await visit('/tasks', 'application/json')).status).toBe(401);
    expect((await visit('/v1/nowhere', 'text/html')).status).toBe(404);
  });
});
