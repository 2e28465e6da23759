/** Which processes a stack consists of, and exactly what environment each of them gets. Pure. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  credentialLines,
  describeSettings,
  ownSecrets,
  secretLines,
  type Env,
  type SecretValue,
  type UpSettings,
} from '@bullpen/platform';
import type { ChildMessage, ProcessSpec } from './managed-process.js';

/** The scripts that the processes run. Tests put small ones in their place. */
export interface Scripts {
  readonly simulator: string;
  readonly gateway: string;
  readonly worker: string;
}

/** The built programs of this repository. */
export function builtScripts(): Scripts {
  const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
  return {
    simulator: path('../../../model-sim/dist/main.js'),
    gateway: path('../../../gateway/dist/main.js'),
    worker: path('../../../worker/dist/main.js'),
  };
}

/** What is the same for all processes of one stack. */
export interface PlanContext {
  readonly settings: UpSettings;
  /** The environment of the supervisor; children get only what is named here. */
  readonly env: Env;
  readonly scripts: Scripts;
  /** Workers share no folder of workspaces, as on machines of their own. */
  readonly ownFolders?: boolean;
}

/** What is known once the database and the simulator are up. */
export interface Wiring {
  readonly databaseUrl: string;
  /** Base URL of the simulator; null when Claude, or another endpoint, answers. */
  readonly simulatorUrl: string | null;
  readonly port: number;
}

/** Time that a process may take beyond the work that it drains. */
const STOP_MARGIN_MS = 12_000;

/** How to start the model simulator, and what to wait for. */
export function simulatorSpec({ settings, env, scripts }: PlanContext): ProcessSpec {
  // Workers were told the first port: a simulator that starts again must listen on the same one.
  const port = (ready: ChildMessage | null): string => String(portOf(ready) ?? settings.SIM_PORT);
  const scenario = settings.SIM_SCENARIO === undefined ? [] : ['--scenario', settings.SIM_SCENARIO];
  return {
    name: 'simulator',
    command: (ready) => [
      ...[scripts.simulator, '--port', port(ready), '--speed', String(settings.SIM_SPEED)],
      ...scenario,
    ],
    env: () => systemEnv(env),
    readyMessage: 'listening',
    answersPings: false,
    stopTimeoutMs: 5_000,
  };
}

/** How to start the gateway once the others are where `wiring` says. */
export function gatewaySpec(context: PlanContext, wiring: Wiring): ProcessSpec {
  const { settings, env, scripts } = context;
  return {
    name: 'gateway',
    command: () => [scripts.gateway],
    env: (ready) => ({
      ...systemEnv(env),
      ...givenSettings(env, ['all', 'gateway']),
      ...commonEnv(settings),
      ...wiredEnv(settings, wiring),
      // It talks to no model, but what it shows may hold the key of those who do.
      ...secretsEnv(ownSecrets(settings)),
      HOST: settings.HOST,
      PORT: String(portOf(ready) ?? wiring.port),
    }),
    readyMessage: 'listening',
    answersPings: true,
    stopTimeoutMs: STOP_MARGIN_MS,
  };
}

/** How to start a worker; with the simulator it gets a key that opens nothing. */
export function workerSpec(context: PlanContext, wiring: Wiring, number: number): ProcessSpec {
  const { settings, env, scripts, ownFolders } = context;
  const key = wiring.simulatorUrl === null ? settings.ANTHROPIC_API_KEY : 'simulated';
  return {
    name: `worker-${number}`,
    command: () => [scripts.worker],
    env: () => ({
      ...systemEnv(env),
      ...givenSettings(env, ['all', 'worker']),
      ...commonEnv(settings),
      ...wiredEnv(settings, wiring),
      // Only workers talk to the model, so only they get the key to use, and a proxy with its password.
      ...(key === undefined ? {} : { ANTHROPIC_API_KEY: key }),
      ...proxyEnv(settings),
      ...(settings.GIT_CREDENTIALS && { GIT_CREDENTIALS: credentialLines(settings.GIT_CREDENTIALS) }),
      ...secretsEnv(settings.SECRET_VALUES ?? []),
      ...(ownFolders === true && { WORKER_FOLDER: workerFolder(settings, number) }),
    }),
    readyMessage: 'ready',
    answersPings: true,
    stopTimeoutMs: settings.DRAIN_MS + STOP_MARGIN_MS,
  };
}

/** Of a worker that has one of its own. */
export function workerFolder(
  { BULLPEN_HOME: home }: Pick<UpSettings, 'BULLPEN_HOME'>,
  number: number,
): string {
  return join(home, `worker-${number}`);
}

/** The port in a `listening` message. */
export function portOf(message: ChildMessage | null): number | null {
  return typeof message?.['port'] === 'number' ? message['port'] : null;
}

/** What any program needs to run at all on this machine; nothing else of the supervisor's environment is handed on. */
const SYSTEM_VARIABLES = [
  'PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_ENV',
  'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
]; // prettier-ignore

/**
 * One pool for all threads of a process: by default glibc makes one for each thread that compiles, and keeps what it used there, a third of what an
 * idle gateway takes. And what is large is always mapped, so that it goes back at once: by default that ends with the first large piece that is freed.
 * Others than glibc take no notice.
 */
const MEMORY = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' };

function systemEnv(env: Env): Record<string, string> {
  return { ...MEMORY, ...pick(env, SYSTEM_VARIABLES) };
}

/** Settings that the user has given and that concern these processes; secrets come from the parsed settings instead. */
function givenSettings(env: Env, apps: readonly string[]): Record<string, string> {
  const names = describeSettings().filter((setting) => apps.includes(setting.app) && !setting.secret);
  return pick(env, names.map((setting) => setting.name)); // prettier-ignore
}

function commonEnv(settings: UpSettings): Record<string, string> {
  return { BULLPEN_HOME: settings.BULLPEN_HOME, LOG_LEVEL: settings.LOG_LEVEL };
}

/** Values to mask. */
function secretsEnv(values: readonly SecretValue[]): Record<string, string> {
  return values.length === 0 ? {} : { SECRET_VALUES: secretLines(values) };
}

/** As they were read: from either spelling, or a file. */
function proxyEnv({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: UpSettings): Record<string, string> {
  return pick({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }, ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']);
}

function wiredEnv(settings: UpSettings, wiring: Wiring): Record<string, string> {
  const baseUrl = wiring.simulatorUrl ?? settings.ANTHROPIC_BASE_URL;
  return {
    DATABASE_URL: wiring.databaseUrl,
    ...(settings.REDIS_URL === undefined ? {} : { REDIS_URL: settings.REDIS_URL }),
    ...(baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl }),
    MODEL_SIMULATED: wiring.simulatorUrl === null ? 'false' : '1',
  };
}

function pick(env: Env, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}
