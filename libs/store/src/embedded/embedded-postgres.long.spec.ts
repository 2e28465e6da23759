/**
 * The Postgres that comes with the packages, through crashes of the server and of its owner. Slow, because most tests make a
 * Postgres of their own, which takes seconds.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning, silentLogger } from '@bullpen/platform';
import { waitFor } from '@bullpen/testing';
import pg from 'pg';
import { type EmbeddedPostgres, embeddedUrlIfRunning, startEmbeddedPostgres } from './embedded-postgres.js';
import { logTail, serverFiles } from './server-files.js';

const logger = silentLogger();

describe('the embedded server', () => {
  /** One home for most tests, because making a database takes seconds; each leaves it stopped and sound. */
  let home: string;
  const homes: string[] = [];
  const servers: EmbeddedPostgres[] = [];

  const freshHome = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-embedded-'));
    homes.push(folder);
    await chmod(folder, 0o711);
    return folder;
  };

  const start = async (options: { home?: string; port?: number } = {}): Promise<EmbeddedPostgres> => {
    const server = await startEmbeddedPostgres({ home, logger, ...options });
    servers.push(server);
    return server;
  };

  beforeAll(async () => {
    home = await freshHome();
  });

  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  afterAll(() => Promise.all(homes.map((folder) => rm(folder, { recursive: true, force: true }))));

  it('starts on an empty folder, durable and on this machine only, and keeps its data over a restart', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE kept (id int); INSERT INTO kept VALUES (7)');
    const settings = await query(
      first.url,
      `SELECT name, setting FROM pg_settings WHERE name IN
         ('fsync', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories', 'max_connections') ORDER BY name`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
    });
    expect(await embeddedUrlIfRunning(home)).toBe(first.url);
    await first.stop();
    expect(await embeddedUrlIfRunning(home)).toBeNull();

    const second = await start();
    expect(second.port).toBe(first.port);
    expect(await query(second.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  });

  it('asks for a password that only its owner can read', async () => {
    const server = await start();
    const { password } = serverFiles(home);
    expect((await stat(password)).mode & 0o777).toBe(0o600);
    const wrong = new URL(server.url);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  });

  it('recovers after kill -9 of everything', async () => {
    const first = await start();
    await query(first.url, 'CREATE TABLE crashed (id int); INSERT INTO crashed VALUES (7)');
    const postmaster = await postmasterOf(home);
    process.kill(first.ownerPid, 'SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await waitFor(async () => !(await isRunning(postmaster)), { what: 'the postmaster to be gone' });

    const second = await start();
    expect(await query(second.url, 'SELECT id FROM crashed')).toEqual([{ id: 7 }]);
  });

  it('stops a server that a killed owner left behind, and starts its own', async () => {
    const first = await start();
    const orphan = await postmasterOf(home);
    await query(first.url, 'CREATE TABLE orphaned (id int); INSERT INTO orphaned VALUES (7)');
    process.kill(first.ownerPid, 'SIGKILL');
    await first.exited;
    expect(await isRunning(orphan)).toBe(true);

    const second = await start();
    expect(await isRunning(orphan)).toBe(false);
    expect(await query(second.url, 'SELECT id FROM orphaned')).toEqual([{ id: 7 }]);
  });

  it('starts the server again, on the same port, when only the server was killed', async () => {
    const server = await start();
    const before = await postmasterOf(home);
    process.kill(before, 'SIGKILL');

    expect(await urlAfterRestart(home, before)).toBe(server.url);
  });

  it('waits for its port when another program has taken it while the server was down', async () => {
    const server = await start();
    const before = await postmasterOf(home);
    process.kill(server.ownerPid, 'SIGSTOP');
    process.kill(before, 'SIGKILL');
    const other = await waitFor(() => listenOn(server.port).catch(() => null), {
      what: 'the port to be free',
    });
    process.kill(server.ownerPid, 'SIGCONT');
    await waitFor(async () => (await readFile(serverFiles(home).log, 'utf8')).includes('waiting for it'), {
      what: 'the owner to find its port taken',
    });
    await new Promise((resolve) => other.close(resolve));

    expect(await urlAfterRestart(home, before)).toBe(server.url);
  });

  it('lets one of two starts at once win, and tells the other who runs', async () => {
    const results = await Promise.allSettled([start(), start()]);
    const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const lost = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    );

    expect(won).toHaveLength(1);
    expect(lost).toEqual([
      expect.objectContaining({
        code: 'already_running',
        message: expect.stringContaining(String(won[0]?.ownerPid)),
        details: { pid: won[0]?.ownerPid },
      }),
    ]);
    expect(await query(won[0]?.url ?? '', 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('makes the database again when the first attempt was cut off in the middle', async () => {
    const fresh = await freshHome();
    const { root, unfinishedData } = serverFiles(fresh);
    await mkdir(root);
    await mkdir(unfinishedData);
    await writeFile(join(unfinishedData, 'PG_VERSION'), '18\n');

    const server = await start({ home: fresh });
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('takes another port when the wished one is taken, and writes it down', async () => {
    const { server: other, port } = await listenSomewhere();
    try {
      const server = await start({ port });
      expect(server.port).not.toBe(port);
      expect((await readFile(serverFiles(home).port, 'utf8')).trim()).toBe(String(server.port));
    } finally {
      other.close();
    }
  });

  it('stops when the process that started it is gone', async () => {
    const starter = startInOtherProcess(home);
    const url = await waitFor(() => embeddedUrlIfRunning(home), {
      what: 'the server to run',
    });
    const postmaster = await postmasterOf(home);
    starter.kill('SIGKILL');

    await waitFor(async () => !(await isRunning(postmaster)), {
      what: 'the server to stop',
    });
    await expect(query(url, 'SELECT 1')).rejects.toThrow();
    expect(await readFile(serverFiles(home).log, 'utf8')).toContain('database system is shut down');
  });

  it.each([
    ['of another major version', '15\n', 'PG_VERSION', /was made by PostgreSQL 15/],
    ['of something else', 'hello', 'notes.txt', /is not a PostgreSQL data folder/],
  ])('refuses a data folder %s and leaves it alone', async (_what, content, file, message) => {
    const fresh = await freshHome();
    const { root, data } = serverFiles(fresh);
    await mkdir(root);
    await mkdir(data);
    await writeFile(join(data, file), content);

    await expect(start({ home: fresh })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(message),
    });
    expect(await readFile(join(data, file), 'utf8')).toBe(content);
  });

  it('says why when the server does not start', async () => {
    const config = join(serverFiles(home).data, 'postgresql.conf');
    const sound = await readFile(config, 'utf8');
    await writeFile(config, 'no_such_setting = 1\n');

    await expect(start()).rejects.toMatchObject({
      code: 'database_unreachable',
      message: expect.stringContaining('no_such_setting'),
    });
    await writeFile(config, sound);
  });

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot('names the folder that keeps the server out when it runs as root', async () => {
    const closed = join(await freshHome(), 'closed');
    await mkdir(closed, { mode: 0o700 });

    await expect(start({ home: join(closed, 'home') })).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(new RegExp(`${closed}.*BULLPEN_HOME`)),
      details: { folder: closed, suggestedHome: '/var/lib/bullpen' },
    });
  });
});

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

async function postmasterOf(home: string): Promise<number> {
  const content = await readFile(join(serverFiles(home).data, 'postmaster.pid'), 'utf8');
  return Number(content.split('\n')[0]);
}

/** The server's address once another one than `before` answers. */
async function urlAfterRestart(home: string, before: number): Promise<string> {
  try {
    return await waitFor(
      async () =>
        (await postmasterOf(home).catch(() => before)) === before ? null : embeddedUrlIfRunning(home),
      { what: 'the server to be back' },
    );
  } catch (cause) {
    throw new Error(await logTail(serverFiles(home), 40), { cause });
  }
}

async function listenSomewhere(): Promise<{ server: Server; port: number }> {
  const server = await listenOn(0);
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

function listenOn(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** A process that starts the server from the compiled code and then only waits. */
function startInOtherProcess(home: string): ChildProcess {
  const entry = new URL('../../dist/embedded/embedded-postgres.js', import.meta.url).href;
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(entry)});
    await startEmbeddedPostgres({ home: ${JSON.stringify(home)}, logger: { info() {} } });
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '' },
  });
}
