/** Who gets in: keys, sessions, hosts, origins, scopes. */
import { createServer, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import { LoginLink } from '@bullpen/contracts';
import { hashApiKey } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway({ env: { ALLOWED_HOSTS: 'bullpen.internal,other.internal:8443' } });
});
afterAll(() => bullpen?.close());

/** Everything that works without a key. A new entry here is a decision. */
const PUBLIC = [
  'GET /docs',
  'GET /docs/assets/swagger-ui-bundle.js',
  'GET /docs/assets/swagger-ui.css',
  'GET /docs/start.js',
  'GET /healthz',
  'GET /login',
  'GET /login/sign-in.js',
  'GET /openapi.json',
  'GET /readyz',
  'GET /shared',
  'GET /shared/show.js',
  'GET /style.css',
  'GET /v1/shared',
  'GET /v1/shared/events',
  'POST /v1/sessions',
];

/** A request with any headers; `fetch` would set Host and Origin itself. */
const bare = (path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const request = httpRequest(
      { port: bullpen.port, host: '127.0.0.1', path, method, headers },
      (response) => {
        let body = '';
        response.on('data', (data: Buffer) => (body += data.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    request.on('error', reject);
    request.end(method === 'POST' ? '{"prompt":"x"}' : undefined);
  });

describe('routes', () => {
  it('are closed without a key, but for those that are listed', async () => {
    const { routes } = bullpen.gateway.routes;
    expect(
      routes
        .filter((route) => route.isPublic)
        .map(({ method, url }) => `${method} ${url}`)
        .sort(),
    ).toEqual(PUBLIC);
    expect(routes.length).toBeGreaterThan(60);
    for (const { method, url, isPublic } of routes) {
      if (isPublic) continue;
      const path = url.replace(/:\w+/g, 'x').replace('*', 'x');
      const response = await bullpen.call(path, { method, key: null });
      expect([method, url, response.status]).toEqual([method, url, 401]);
      expect(response.headers.get('www-authenticate')).toContain('Bearer');
      await problemFrom(response);
    }
  });

  it('say what to do about a key that is missing, wrong, expired or revoked', async () => {
    const expired = await bullpen.newKey({ expiresAt: new Date(Date.now() - 1_000) });
    const revoked = await bullpen.newKey({});
    expect((await bullpen.call('/v1/tasks', { key: revoked })).status).toBe(200);
    await bullpen.prisma.apiKey.update({
      where: { hash: hashApiKey(revoked) },
      data: { revokedAt: new Date() },
    });
    for (const [key, why] of [
      [null, 'no key'],
      ['bp_wrong', 'not known'],
      [expired, 'expired'],
      [revoked, 'revoked'],
    ] as const) {
      const problem = await problemFrom(await bullpen.call('/v1/tasks', { key }));
      expect(problem).toMatchObject({ status: 401, code: 'unauthorized' });
      expect(problem.detail).toContain(why);
      expect(problem.nextActions?.map(({ text }) => text).join()).toContain('home folder');
      // Whoever asks may be a stranger.
      expect(JSON.stringify(problem)).not.toContain(bullpen.home);
    }
    const basic = await bullpen.call('/v1/tasks', { headers: { authorization: 'Basic abc' } });
    expect((await problemFrom(basic)).detail).toContain('Bearer <key>');
  });

  it('judge the key before they read the body', async () => {
    const response = await bullpen.call('/v1/tasks', {
      method: 'POST',
      key: null,
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(401);
  });

  it('take keys by scope', async () => {
    const reader = await bullpen.newKey({ scopes: ['read'] });
    const writer = await bullpen.newKey({ scopes: ['read', 'write'] });
    expect((await bullpen.call('/v1/tasks', { key: reader })).status).toBe(200);
    const refused = await bullpen.call('/v1/tasks', {
      key: reader,
      method: 'POST',
      body: '{"prompt":"x"}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await problemFrom(refused)).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await bullpen.call('/admin/queues', { key: writer })).status).toBe(403);
  });

  it('note when a key was used', async () => {
    await bullpen.call('/v1/tasks');
    const used = async () =>
      (await bullpen.prisma.apiKey.findUnique({ where: { hash: hashApiKey(bullpen.key) } }))?.lastUsedAt;
    await waitFor(used, { what: 'the use to be noted' });
  });
});

describe('hosts', () => {
  const auth = () => ({ authorization: `Bearer ${bullpen.key}` });

  it('are taken by exact name and port', async () => {
    const { port } = bullpen;
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      'bullpen.internal',
      'bullpen.internal:99',
      'other.internal:8443',
    ])
      expect([host, (await bare('/v1/tasks', { host, ...auth() })).status]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost',
      `localhost:${port + 1}`,
      'other.internal',
      `127.0.0.1.evil.example:${port}`,
    ])
      expect([host, (await bare('/v1/tasks', { host, ...auth() })).status]).toEqual([host, 403]);
    expect((await bare('/healthz', { host: 'pod-7' })).status).toBe(200);
  });
});

describe('browsers', () => {
  const newLink = async (key = bullpen.key): Promise<string> => {
    const made = await bullpen.call('/v1/login-links', { method: 'POST', key });
    return LoginLink.parse(await made.json()).url;
  };
  const redeem = (link: string, at = bullpen) =>
    at.call('/v1/sessions', {
      method: 'POST',
      key: null,
      body: JSON.stringify({ code: link.split('#')[1] }),
      headers: { 'content-type': 'application/json', origin: at.url },
    });
  const cookieOf = (session: Response): string =>
    (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const signIn = async (key = bullpen.key): Promise<string> => {
    const link = await newLink(key);
    expect(link.startsWith(`${bullpen.url}/login#`)).toBe(true);
    const session = await redeem(link);
    expect(session.status).toBe(201);
    expect(session.headers.get('set-cookie')).toMatch(
      /^bullpen_session=[^;]+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=43200$/,
    );
    expect(await problemFrom(await redeem(link))).toMatchObject({ status: 401, code: 'unauthorized' });
    return cookieOf(session);
  };
  const look = async (cookie: string, at = bullpen) =>
    (await at.call('/v1/tasks', { key: null, headers: { cookie } })).status;

  it('sign in once with a link, and may then look', async () => {
    const cookie = await signIn();
    for (const path of ['/', '/v1/tasks', '/admin/queues'])
      expect([path, (await bare(path, { host: `127.0.0.1:${bullpen.port}`, cookie })).status]).toEqual([
        path,
        200,
      ]);
    expect((await bare('/', { host: `127.0.0.1:${bullpen.port}`, cookie: `${cookie}x` })).status).toBe(401);
  });

  it('change things only from our own pages', async () => {
    const cookie = await signIn();
    const post = (origin?: string) =>
      bare(
        '/v1/tasks',
        {
          host: `127.0.0.1:${bullpen.port}`,
          cookie,
          'content-type': 'application/json',
          ...(origin && { origin }),
        },
        'POST',
      );
    expect((await post(bullpen.url)).status).toBe(201);
    for (const origin of [
      undefined,
      'null',
      'https://evil.example',
      `${bullpen.url}.evil.example`,
      `http://127.0.0.1:${bullpen.port + 1}`,
    ])
      expect([origin, (await post(origin)).status]).toEqual([origin, 403]);
  });

  it('lose the session with the key, and open none with its links', async () => {
    const key = await bullpen.newKey({});
    const [cookie, link] = [await signIn(key), await newLink(key)];
    expect(await look(cookie)).toBe(200);
    await bullpen.prisma.apiKey.update({ where: { hash: hashApiKey(key) }, data: { revokedAt: new Date() } });
    expect([await look(cookie), (await redeem(link)).status]).toEqual([401, 401]);
  });

  it('stay signed in at every gateway, and when all that they knew were started anew', async () => {
    const second = await startTestGateway({ beside: bullpen });
    const cookie = await signIn();
    const link = await newLink();
    expect(await look(cookie, second)).toBe(200);
    const opened = await Promise.all([bullpen, second, bullpen, second].map((at) => redeem(link, at)));
    expect(opened.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
    await second.close();

    const restarted = await startTestGateway({ beside: bullpen });
    const later = cookieOf(opened.find(({ ok }) => ok) ?? Response.error());
    expect([await look(cookie, restarted), await look(later, restarted)]).toEqual([200, 200]);
    const signOut = await restarted.call('/v1/sessions/current', {
      method: 'DELETE',
      key: null,
      headers: { cookie, origin: restarted.url },
    });
    expect([signOut.status, await look(cookie), await look(later)]).toEqual([200, 401, 200]);
    await restarted.close();
  });

  it('are led to the sign-in page, which holds no script of its own', async () => {
    const visit = await bullpen.call('/', {
      key: null,
      redirect: 'manual',
      headers: { accept: 'text/html' },
    });
    expect([visit.status, visit.headers.get('location')]).toEqual([303, '/login']);
    const page = await bullpen.call('/login', { key: null });
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await page.text()).not.toMatch(/<script(?![^>]*src=)|style=|onclick/);
    expect((await bullpen.call('/login/sign-in.js', { key: null })).headers.get('content-type')).toContain(
      'javascript',
    );
  });

  it('get no CORS, and headers that keep them on a short lead', async () => {
    const response = await bullpen.call('/v1/tasks', { headers: { origin: 'https://evil.example' } });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

describe('the port', () => {
  it('is named, with the setting, when it is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    await expect(startTestGateway({ env: { PORT: String(port) } })).rejects.toThrow(
      new RegExp(`Port ${port} on 127.0.0.1 is taken.*PORT`),
    );
    await new Promise((resolve) => server.close(resolve));
  });
});
