/** One installation of the compose file, under a project name of its own, with what a check asks of it. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { docker, run } from './engine.mjs';

const BUILD_MS = 1_800_000;
const UP_MS = 300_000;

export class ComposeStack {
  #compose;
  #scratch = mkdtempSync(join(tmpdir(), 'bullpen-compose-'));
  #settings;
  #key = '';

  /** `compose`: the command to use, as `findCompose` gives it. */
  static async prepare(compose, settings) {
    const port = await freePort();
    // It does not know one of the options that a sandbox needs.
    const old = compose.version.startsWith('1.') ? { PROC_OPTION: 'no-new-privileges=true' } : {};
    return new ComposeStack(compose, { ...settings, ...old, BULLPEN_PORT: String(port) });
  }

  constructor(compose, settings) {
    this.#compose = compose;
    this.#settings = {
      POSTGRES_PASSWORD: randomBytes(24).toString('hex'),
      REDIS_PASSWORD: randomBytes(24).toString('hex'),
      ...settings,
    };
    this.isOld = 'PROC_OPTION' in settings;
    this.project = `bullpen-check-${randomBytes(4).toString('hex')}`;
    this.url = `http://127.0.0.1:${settings.BULLPEN_PORT}`;
  }

  /** Runs a compose command. `changes` replace settings; null takes one away. */
  compose(args, { changes = {}, ...options } = {}) {
    const settings = { ...this.#settings, ...changes };
    const file = join(this.#scratch, 'env');
    const lines = Object.entries(settings).filter(([, value]) => value !== null);
    writeFileSync(file, lines.map(([name, value]) => `${name}=${value}\n`).join(''), { mode: 0o600 });
    const [program, ...first] = this.#compose.program;
    const head = [...first, '--project-name', this.project, '--env-file', file];
    // The machine's own environment would win over the file.
    const env = Object.fromEntries(SETTINGS.map((name) => [name, undefined]));
    return run(program, [...head, ...args], { timeoutMs: UP_MS, ...options, env });
  }

  build() {
    // One service, as all of ours run the same image.
    return this.compose(['build', 'worker'], { timeoutMs: BUILD_MS });
  }

  up(workers, args = []) {
    return this.compose(['up', '--detach', '--scale', `worker=${workers}`, ...args]);
  }

  /** Runs a program in one of a service's containers and gives its standard output. */
  async exec(service, args, options) {
    // Not `compose exec`: docker-compose 1.29 looks for the first worker ever started, which may be gone.
    const [container] = await this.containers(service);
    if (container === undefined) throw new Error(`No container of ${service} runs`);
    return (await docker(['exec', '--interactive', container, ...args], options)).stdout;
  }

  /** The command line in the gateway's container, with JSON as its answer. */
  async bullpen(...args) {
    return JSON.parse(await this.exec('gateway', ['bullpen', ...args, '--json']));
  }

  /** A request of the HTTP API from this machine; the parsed answer. Throws for anything but success. */
  async api(path, body) {
    this.#key ||= (await this.exec('gateway', ['cat', '/data/key'])).trim();
    const answer = await ask(this.url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** Ids of a service's containers; with `all` those that have ended, too. */
  async containers(service, { all = false } = {}) {
    const labels = [`com.docker.compose.project=${this.project}`];
    if (service !== null) labels.push(`com.docker.compose.service=${service}`);
    const filters = labels.flatMap((label) => ['--filter', `label=${label}`]);
    const { stdout } = await docker(['ps', '--no-trunc', '--quiet', ...(all ? ['--all'] : []), ...filters]);
    return stdout.split('\n').filter((id) => id !== '');
  }

  /** Volumes and networks of this project. */
  async leftovers() {
    const filter = ['--quiet', '--filter', `label=com.docker.compose.project=${this.project}`];
    const lists = await Promise.all([
      docker(['volume', 'ls', ...filter]),
      docker(['network', 'ls', ...filter]),
    ]);
    return [
      ...(await this.containers(null, { all: true })),
      ...lists.flatMap(({ stdout }) => stdout.split('\n')),
    ].filter((id) => id !== '');
  }

  /** Takes everything down, data included. */
  async remove() {
    await this.compose(['down', '--volumes', '--remove-orphans'], { timeoutMs: UP_MS });
    rmSync(this.#scratch, { recursive: true, force: true });
  }
}

/** Names that compose takes from its environment. */
const SETTINGS = [
  'POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'MODEL_SIMULATED', 'COMPOSE_PROFILES',
  'BULLPEN_PORT', 'BULLPEN_VERSION', 'PUBLIC_URL', 'ALLOWED_HOSTS', 'PROJECTS_DIR', 'EXTENSIONS_DIR', 'EXTENSIONS', 'WORKER_SLOTS', 'DEFAULT_MODEL',
  'LOG_LEVEL', 'NETWORK_ALLOW_PRIVATE', 'PROC_OPTION', 'SANDBOX', 'REDIS_MAXMEMORY', 'SIM_SPEED', 'COMPOSE_FILE', 'COMPOSE_PROJECT_NAME',
]; // prettier-ignore

/** Longest wait for an answer of the gateway, in ms. */
const ANSWER_MS = 15_000;

/**
 * `fetch` with a limit. The timer also keeps the process alive: when a port forwarder takes a connection and closes it at once
 * because nobody listens behind it yet, the `fetch` of Node.js 20 never settles, and the process would end without a word.
 */
export async function ask(url, options = {}) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error(`${url}: no answer`)), ANSWER_MS);
  try {
    return await fetch(url, { ...options, signal: limit.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `look` until it gives something; a look that throws counts as nothing yet. Throws after `timeoutMs`. */
export async function until(what, timeoutMs, look) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let problem = '';
    try {
      const found = await look();
      if (found) return found;
    } catch (error) {
      problem = `: ${error.message}`;
    }
    if (Date.now() > deadline)
      throw new Error(`${what} did not come about within ${timeoutMs / 1_000} s${problem}`);
    await sleep(250);
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
