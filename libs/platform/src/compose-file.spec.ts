/** What docker-compose.yml, the Dockerfile and `.env.example` promise; that they work is proved by `npm run compose:check`. */
import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describeSettings, workerSettings } from './settings.js';

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly stop_grace_period?: string;
  readonly restart: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly logging: { readonly options: Readonly<Record<string, string>> };
}
interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const text = read('docker-compose.yml');
const { services, volumes } = parse(text, { merge: true }) as ComposeFile;

/** Services that run our own image, and whose settings each of them reads. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  migrate: ['all'],
  gateway: ['all', 'gateway'],
  worker: ['all', 'worker'],
  simulator: [],
};
/** What the gateway has to know of the workers (apps/gateway/src/config.ts), and what its container's command line reads. */
const MORE = { gateway: ['ANTHROPIC_BASE_URL', 'MODEL_SIMULATED', 'BULLPEN_URL'] };
/** What a worker gives itself beyond DRAIN_MS (apps/worker/src/main.ts), in seconds, and what is left for a slow machine. */
const CLOSING_S = 10;
const MARGIN_S = 5;

function service(name: string): Service {
  const found = services[name];
  if (found === undefined) throw new Error(`There is no service ${name}`);
  return found;
}

function seconds(duration: string | undefined): number {
  const [, amount = '0'] = /^(\d+)s$/.exec(duration ?? '') ?? [];
  return Number(amount);
}

/** What a box for a command needs of the container around it; none of it is a privilege. */
const FOR_BOXES = [
  'seccomp=docker/worker-seccomp.json',
  'apparmor=unconfined',
  '${PROC_OPTION:-systempaths=unconfined}',
];

describe('docker-compose.yml', () => {
  it('names only settings that exist, and gives each service only those that it reads', () => {
    for (const [name, apps] of Object.entries(OURS)) {
      const known = describeSettings()
        .filter((setting) => apps.includes(setting.app))
        .map((setting) => setting.name);
      const allowed = [...known, ...(name === 'gateway' ? MORE.gateway : [])];
      for (const variable of Object.keys(service(name).environment ?? {}))
        expect(allowed).toContain(variable);
    }
    expect(service('gateway').environment).not.toHaveProperty('ANTHROPIC_API_KEY');
  });

  it('keeps the queue whole: nothing evicted, everything written down, a password that no process list shows', () => {
    const command = service('redis').command?.join('\n') ?? '';
    for (const line of ['appendonly yes', 'appendfsync everysec', 'maxmemory-policy noeviction'])
      expect(command).toContain(`\n${line}\n`);
    // Read from standard input by the shell in the container, not put into the arguments by compose.
    expect(command).toContain('requirepass $$REDIS_PASSWORD');
    expect(service('redis').volumes).toEqual(['redis:/data']);
  });

  it('publishes the gateway on the loopback address and nothing else', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port] as const),
    );
    expect(published.map(([name]) => name)).toEqual(['gateway']);
    expect(published[0]?.[1]).toMatch(/^127\.0\.0\.1:/);
    expect(text).not.toMatch(/network_mode|privileged|docker\.sock/);
  });

  it('has no password of its own: without one in the environment nothing starts', () => {
    for (const secret of ['POSTGRES_PASSWORD', 'REDIS_PASSWORD', 'ANTHROPIC_API_KEY']) {
      const uses = text.match(new RegExp(`(?<!\\$)\\$\\{${secret}[^}]*\\}`, 'g')) ?? [];
      expect(uses.length).toBeGreaterThan(0);
      for (const use of uses) expect(use).toMatch(/:\?.*\.env/);
      expect(read('.env.example')).toMatch(new RegExp(`^${secret}=$`, 'm'));
    }
  });

  it('gives a stopping worker its drain, its closing up and a margin', () => {
    const { environment, stop_grace_period: grace } = service('worker');
    const drain = Number(workerSettings.shape.DRAIN_MS.parse(environment?.['DRAIN_MS']));
    expect(seconds(grace)).toBeGreaterThanOrEqual(drain / 1_000 + CLOSING_S + MARGIN_S);
    expect(seconds(service('gateway').stop_grace_period)).toBeGreaterThanOrEqual(CLOSING_S + MARGIN_S);
  });

  it('starts gateway and workers when the stores are healthy and the migrations are done', () => {
    for (const name of ['postgres', 'redis', 'gateway'])
      expect(service(name).healthcheck?.test[0]).toMatch(/^CMD/);
    for (const name of ['gateway', 'worker'])
      expect(service(name).depends_on).toEqual({
        postgres: { condition: 'service_healthy' },
        redis: { condition: 'service_healthy' },
        migrate: { condition: 'service_completed_successfully' },
      });
    expect(service('migrate')).toMatchObject({ restart: 'no', command: ['bullpen', 'migrate'] });
  });

  it('runs everything without root, without capabilities, on a root that nobody can write, with bounded logs', () => {
    for (const [name, { read_only, cap_drop, security_opt, logging, user }] of Object.entries(services)) {
      expect([name, read_only, cap_drop, security_opt]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true', ...(name === 'worker' ? FOR_BOXES : [])],
      ]);
      expect(logging.options).toHaveProperty('max-size');
      if (!(name in OURS)) expect(user).toBe(name);
    }
    expect(read('Dockerfile')).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });

  it('keeps the data in named volumes, and the key of the API away from the workers', () => {
    expect(service('postgres').volumes).toEqual(['postgres:/var/lib/postgresql']);
    expect(Object.keys(volumes)).toEqual([
      'postgres',
      'redis',
      'gateway',
      'workspaces',
      'homes',
      'outputs',
      'extensions',
      'projects',
    ]);
    const shared = (service('worker').volumes ?? []).filter((volume) =>
      service('gateway').volumes?.includes(`${volume}:ro`),
    );
    expect(shared).toEqual(['outputs:/data/outputs', '${PROJECTS_DIR:-projects}:/projects']);
    // Agents and tools come from the same place for both, and nothing in a container can change them.
    for (const name of ['gateway', 'worker'])
      expect(service(name).volumes).toContain('${EXTENSIONS_DIR:-extensions}:/data/extensions:ro');
    expect(service('worker').volumes?.join()).not.toMatch(/gateway|:\/data(:|,|$)/);
  });

  it('uses nothing that only one of the two compose programs knows', () => {
    const file = parse(text, { merge: true }) as Record<string, unknown>;
    // docker-compose 1.29 has no `name`, `include` or `configs` from content, and no default inside a default.
    expect(
      Object.keys(file)
        .filter((key) => !key.startsWith('x-'))
        .sort(),
    ).toEqual(['services', 'volumes']);
    // A plain scalar with a colon in it is a mapping to the older parser.
    for (const { healthcheck } of Object.values(services))
      for (const word of healthcheck?.test ?? []) expect(typeof word).toBe('string');
    expect(text).not.toMatch(/\$\{[^}]*\$\{|pull_policy|develop:|!reset/);
  });
});

describe('.env.example', () => {
  it('knows every variable that the compose file takes', () => {
    const taken = [...text.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name ?? '');
    for (const name of new Set(taken)) expect(read('.env.example')).toMatch(new RegExp(`^#?${name}=`, 'm'));
  });
});
