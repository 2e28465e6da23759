/** An installation of its own: what `bullpen up` starts, in a folder that is removed afterwards. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@bullpen/platform';
import { testRedis } from '@bullpen/testing/harness';
import { until } from './until.mjs';

const START_MS = 90_000;
const LEFT_OUT = ['DATABASE_URL', 'REDIS_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const { Client } = createRequire(join(root, 'libs/store/package.json'))('pg');

/** `backend` is what the queue and the live events run on: `postgres` or `redis`. */
export async function startStack(backend) {
  const home = mkdtempSync(join(tmpdir(), 'bullpen-browser-'));
  const redis = backend === 'redis' ? await testRedis() : null;
  const port = await freePort(0, '127.0.0.1');
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !LEFT_OUT.includes(name)));
  const child = spawn(process.execPath, [join(root, 'apps/cli/bin/bullpen.js'), 'up'], {
    env: {
      ...env,
      ...{ BULLPEN_HOME: home, PORT: String(port) },
      ...{ SIM_SCENARIO: fileURLToPath(new URL('agents.mjs', import.meta.url)), SIM_SPEED: '4' },
      // The loss of a worker is noticed soon.
      ...{ LEASE_MS: '6000', RENEW_MS: '2000' },
      ...(redis && { REDIS_URL: redis.url }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await isReady(child);
  return new Installation({ child, home, redis, url: `http://127.0.0.1:${port}` });
}

class Installation {
  #child;
  #redis;
  #key;

  constructor({ child, home, redis, url }) {
    this.#child = child;
    this.#redis = redis;
    this.#key = readFileSync(join(home, 'key'), 'utf8').trim();
    this.home = home;
    this.url = url;
    this.call = this.call.bind(this);
  }

  /** A request with the key; with a body it is a POST. */
  async call(path, body) {
    const response = await fetch(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  submit(body) {
    return this.call('/v1/tasks', { autonomy: 'background', ...body });
  }

  task(id) {
    return this.call(`/v1/tasks/${id}`);
  }

  /** Waits until the task is as wanted, and gives it. */
  async becomes(id, state) {
    await until(async () => (await this.task(id)).state === state, `${id} to be ${state}`);
    return this.task(id);
  }

  /** The first thing that the task asks a person. */
  async ask(id) {
    const asks = async () => (await this.call(`/v1/interactions?taskId=${id}&state=pending`)).data;
    await until(async () => (await asks()).length > 0, `${id} to ask`);
    return (await asks())[0];
  }

  /** Opens a page that is signed in. */
  async signIn(page) {
    const { url: link } = await this.call('/v1/login-links', {});
    await page.goto(link);
    await page.waitForURL((address) => !address.pathname.startsWith('/login'));
  }

  /** Kills the gateway and waits for the next one. */
  async restartGateway() {
    await this.#lose(({ gateway }) => gateway);
    await until(async () => (await fetch(`${this.url}/readyz`).catch(() => null))?.ok, 'the gateway');
  }

  /** Kills the worker that has the task. */
  async killWorkerOf(id) {
    const { data } = await this.call('/v1/workers');
    const { pid } = data.find(({ tasks }) => tasks.some((task) => task.id === id));
    await this.#lose(({ workers }) => workers.find((worker) => worker.pid === pid));
  }

  /** Kills a process of the stack, and waits until it was started again. */
  async #lose(pick) {
    const { name, pid } = pick(this.#up());
    process.kill(pid, 'SIGKILL');
    const again = () => {
      const { gateway, workers } = this.#up();
      return [gateway, ...workers].find((child) => child.name === name)?.pid ?? pid;
    };
    await until(() => again() !== pid, `${name} to be started again`);
  }

  #up() {
    return JSON.parse(readFileSync(join(this.home, 'up.json'), 'utf8'));
  }

  /** Straight into the record: what would take tasks an hour to make. */
  async sql(work) {
    const client = new Client({ connectionString: this.#up().databaseUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await ended;
    await this.#redis?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }
}

function isReady(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`It did not start: ${said}`)), START_MS);
    const hear = (text) => {
      said += text;
      if (!said.includes('Bullpen is ready')) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${said}`)));
  });
}
