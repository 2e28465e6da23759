/**
 * Every setting of the product, one schema per app. The settings table in the README is rendered from here: a variable that
 * is not described here does not exist.
 */
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import {
  decimal,
  defaultOf,
  flag,
  int,
  isSecret,
  list,
  lowerCaseToo,
  moduleNames,
  networks,
  port,
  onlyForUs,
  secret,
  url,
} from './env.js';
import { checkpointStore, keepingShape } from './checkpoint-settings.js';
import { gitCredentials } from './git-credentials.js';
import { secretValues } from './secret-values.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const commonShape = {
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .prefault('info')
    .describe('How much is logged: fatal, error, warn, info, debug, trace or silent.'),
  BULLPEN_HOME: z
    .string()
    .transform((path) => resolve(path))
    .prefault('.bullpen')
    .describe('Folder for the embedded database and the workspaces; relative to the current folder.'),
  DATABASE_URL: secret(
    url(['postgres', 'postgresql']),
    'PostgreSQL to use. Without it, an embedded PostgreSQL runs in `BULLPEN_HOME`.',
  ),
  REDIS_URL: secret(
    url(['redis', 'rediss']),
    'Redis or Valkey for the queue and the live events. Without it, PostgreSQL does both.',
  ),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_{}-]{1,64}$/, 'must be up to 64 letters, digits, dashes, underscores or braces')
    .prefault('bullpen')
    .describe('Prefix of all queue keys; lets several installations share one Redis.'),
  SECRET_VALUES: onlyForUs(
    secret(
      secretValues(),
      'More values to mask wherever they appear: lines like `NAME=value`, or a JSON object. Others must not be able to read the file.',
    ),
  ),
  EXTENSIONS: moduleNames()
    .optional()
    .describe(
      'npm modules with more agents and tools, separated by commas; see [docs/extending.md](docs/extending.md).',
    ),
  WEBHOOK_ALLOW_PRIVATE: networks()
    .optional()
    .describe(
      'Non-public networks that webhooks may reach, such as `10.1.0.0/16,127.0.0.1/32`; separated by commas.',
    ),
  GIT_HOSTS: z
    .string()
    .transform(parseGitHosts)
    .prefault('any')
    .describe(
      'Hosts from which a task may clone: `any`, `none`, or names, with a port that is not the usual one, separated by commas.',
    ),
  GIT_PROTOCOLS: list()
    .transform(parseGitProtocols)
    .prefault('https')
    .describe(
      'How a task may clone: `https`, `http` and `file`, separated by commas. With `file`, all that the worker may read can be cloned.',
    ),
  CHECKPOINT_STORE: checkpointStore(),
};

const gatewayShape = {
  HOST: z
    .string()
    .prefault('127.0.0.1')
    .describe('Address that the gateway listens on. The default is this machine only.'),
  PORT: port().prefault('7450').describe('Port of the gateway; 0 picks a free one.'),
  PUBLIC_URL: url(['http', 'https'])
    .optional()
    .describe('URL at which people reach the gateway when a proxy is in front of it.'),
  BODY_LIMIT_BYTES: int({ min: 1_024, max: 67_108_864 })
    .prefault('1048576')
    .describe('Largest request body, in bytes.'),
  ALLOWED_HOSTS: list()
    .optional()
    .describe(
      'Host names that requests may use, besides the one that the gateway listens on; separated by commas.',
    ),
  WORKSPACE_PATHS: z
    .string()
    .transform(parseWorkspacePaths)
    .prefault('any')
    .describe('Folders that a task may work on: `any`, `none`, or absolute paths separated by colons.'),
  WORKSPACE_IN_PLACE: flag()
    .prefault('false')
    .describe('Whether a task may work in such a folder itself instead of on a copy.'),
  DEFAULT_MODEL: z
    .string()
    .max(200, 'must be at most 200 characters')
    .prefault('claude-sonnet-5-5')
    .describe('Model for agents that do not name one.'),
  HELPER_PROFILE: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      "Model profile, or model, that sums up conversations where an agent names none; without it, the task's own does.",
    ),
  EXTRA_MODELS: list()
    .optional()
    .describe(
      'More models that tasks may use, separated by commas, or `any`. They have no known price, so only tasks without a cost limit can use them.',
    ),
  MAX_STREAMS: int({ min: 1, max: 100_000 })
    .prefault('200')
    .describe('Live event streams that may be open at once.'),
};

const workerShape = {
  WORKER_FOLDER: z
    .string()
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'Folder of this worker alone for workspaces and what belongs to them. Without it: `BULLPEN_HOME`, which the workers of a machine share.',
    ),
  WORKER_SLOTS: int({ min: 1, max: 1_000 })
    .prefault('8')
    .describe('Tasks that one worker runs at the same time.'),
  LEASE_MS: int({ min: 1_000, max: 600_000 })
    .prefault('15000')
    .describe(
      'How long a lease on a task lasts without renewal, in ms; a lost worker is noticed after this time.',
    ),
  RENEW_MS: int({ min: 100, max: 300_000 })
    .prefault('5000')
    .describe('How often leases are renewed, in ms; less than half of `LEASE_MS`.'),
  ANTHROPIC_API_KEY: secret(
    z.string(),
    'API key for Claude. Without it, `bullpen up` starts the local model simulator.',
  ),
  ANTHROPIC_BASE_URL: url(['http', 'https'])
    .optional()
    .describe('Another endpoint that speaks the Messages API.'),
  HTTPS_PROXY: lowerCaseToo(
    secret(
      z.string(),
      'Proxy for requests to a model, or clones, at an `https` address, such as `http://proxy.example:8080`. Lower-case names work as well, for all three.',
    ),
  ),
  HTTP_PROXY: lowerCaseToo(secret(z.string(), 'The same for `http` addresses.')),
  NO_PROXY: lowerCaseToo(
    z
      .string()
      .optional()
      .describe(
        'Hosts and networks to reach without a proxy, separated by commas. This machine is always one of them.',
      ),
  ),
  COMMAND_USER: z
    .string()
    .regex(/^[a-z_][a-z0-9_-]{0,31}\$?$/, 'must be the name of a system user')
    .prefault('nobody')
    .describe('System user that runs the commands of agents when the worker runs as root.'),
  NETWORK_ALLOW_PRIVATE: networks()
    .optional()
    .describe(
      'Non-public networks that hosts opened by the policy may lead to, such as `10.1.0.0/16`; separated by commas.',
    ),
  GIT_CREDENTIALS: onlyForUs(
    secret(
      gitCredentials(),
      'With what tasks clone: a JSON list like `[{"host": "github.com", "token": "…"}]`; see docs/workspaces.md. Others must not be able to read the file.',
    ),
  ),
  GIT_ALLOW_PRIVATE: networks()
    .optional()
    .describe('Non-public networks that tasks may clone from, such as `10.1.0.0/16`; separated by commas.'),
  GIT_IDENTITY: z
    .string()
    .regex(/^[^<>\n"\\]+ <[^<>\s"\\]+>$/, 'must be like `Name <name@example.com>`')
    .prefault('Agent <agent@localhost>')
    .describe('In whose name agents commit in a clone.'),
  SANDBOX: z
    .enum(['auto', 'required', 'off'])
    .prefault('auto')
    .describe(
      'What holds the commands of agents: `auto` takes the best sandbox that works and says which one, `required` refuses commands when none does, `off` runs them without one.',
    ),
  SANDBOX_IMAGE: z
    .string()
    .optional()
    .describe(
      'Image with bash: commands of agents run in containers of it, by `docker` or `podman`. It must be on the machine; nothing is pulled.',
    ),
  ...keepingShape,
  DRAIN_MS: int({ min: 0, max: 600_000 })
    .prefault('10000')
    .describe('How long a stopping worker waits for running turns to end cleanly, in ms.'),
  INVARIANTS_EVERY_MS: int({ min: 0, max: 86_400_000 })
    .prefault('0')
    .describe(
      'How often the leading worker checks the invariants of 50 more trees, in ms; 0 means never. `bullpen doctor --invariants` checks all trees.',
    ),
  RETENTION_DAYS: int({ min: 1, max: 36_500 })
    .optional()
    .describe(
      'Days after which ended task trees are deleted, with their workspaces. Without it, all are kept.',
    ),
  PROMPT_BODIES: z
    .enum(['off', 'asked'])
    .prefault('asked')
    .describe(
      'Whether requests and answers of model calls are kept, masked: `asked` for tasks that ask for it, or `off`.',
    ),
  PROMPT_BODIES_DAYS: int({ min: 1, max: 365 }).prefault('7').describe('Days for which these are kept.'),
  MODEL_SIMULATED: flag()
    .prefault('false')
    .describe('Set by `bullpen up` when the local model simulator answers instead of Claude.'),
};

const upShape = {
  WORKERS: int({ min: 1, max: 256 }).prefault('2').describe('Worker processes that `bullpen up` starts.'),
  SIM_PORT: port().prefault('0').describe('Port of the local model simulator; 0 picks a free one.'),
  SIM_SPEED: decimal({ min: 0.01, max: 10_000 })
    .prefault('4')
    .describe('Speed of the local model simulator: 2 answers twice as fast as a real model.'),
  SIM_SCENARIO: z
    .string()
    .transform((path) => resolve(path))
    .optional()
    .describe(
      'File with scripted agents for the local model simulator to play; it is run, so only your own.',
    ),
};

const RENEW_TOO_SLOW = { path: ['RENEW_MS'], error: 'must be less than half of LEASE_MS' };

/** Settings of the gateway process. */
export const gatewaySettings = z.object({ ...commonShape, ...gatewayShape });
export type GatewaySettings = z.output<typeof gatewaySettings>;

/** Settings of a worker process. */
export const workerSettings = z
  .object({ ...commonShape, ...workerShape })
  .refine(renewsInTime, RENEW_TOO_SLOW);
export type WorkerSettings = z.output<typeof workerSettings>;

/** Settings of `bullpen up`: its own, and those of all that it starts, so that a mistake shows before anything runs. */
export const upSettings = z
  .object({ ...commonShape, ...gatewayShape, ...workerShape, ...upShape })
  .refine(renewsInTime, RENEW_TOO_SLOW);
export type UpSettings = z.output<typeof upSettings>;

/** One row of the settings table. */
export interface SettingDescription {
  readonly name: string;
  /** As one would write it in the environment; null when there is none. */
  readonly default: string | null;
  readonly description: string;
  /** Which processes read it; `bullpen up` reads all of them. */
  readonly app: 'all' | 'gateway' | 'worker' | 'up';
  /** May be given as `<name>_FILE`, and is never printed. */
  readonly secret: boolean;
}

/** Every setting once, in the order of the table. */
export function describeSettings(): readonly SettingDescription[] {
  return [
    ...describeShape('all', commonShape),
    ...describeShape('gateway', gatewayShape),
    ...describeShape('worker', workerShape),
    ...describeShape('up', upShape),
  ];
}

function describeShape(app: SettingDescription['app'], shape: z.ZodRawShape): SettingDescription[] {
  return Object.entries(shape).map(([name, schema]) => ({
    name,
    default: defaultOf(schema),
    description: z.globalRegistry.get(schema)?.description ?? '',
    app,
    secret: isSecret(schema),
  }));
}

function parseWorkspacePaths(
  text: string,
  context: z.RefinementCtx<string>,
): 'any' | 'none' | readonly string[] {
  if (text === 'any' || text === 'none') return text;
  const folders = text.split(':').filter((folder) => folder !== '');
  if (folders.length > 0 && folders.every((folder) => isAbsolute(folder)))
    return folders.map((folder) => resolve(folder));
  context.addIssue('must be any, none, or absolute paths separated by colons');
  return z.NEVER;
}

function parseGitHosts(text: string, context: z.RefinementCtx<string>): 'any' | 'none' | readonly string[] {
  if (text === 'any' || text === 'none') return text;
  const hosts = text.toLowerCase().split(',').map((host) => host.trim()); // prettier-ignore
  if (hosts.every((host) => /^[a-z0-9.-]+(:\d{1,5})?$/.test(host))) return hosts;
  context.addIssue('must be any, none, or names of hosts separated by commas');
  return z.NEVER;
}

function parseGitProtocols(items: string[], context: z.RefinementCtx<string[]>): readonly string[] {
  if (items.every((item) => ['https', 'http', 'file'].includes(item))) return items;
  context.addIssue('must be some of https, http and file, separated by commas');
  return z.NEVER;
}

/** A worker gives up its runs after half a lease without a renewal: at least one renewal must have been tried by then. */
function renewsInTime(settings: { LEASE_MS: number; RENEW_MS: number }): boolean {
  return settings.RENEW_MS * 2 < settings.LEASE_MS;
}
