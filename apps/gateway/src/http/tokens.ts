/** What the composition root builds and features take by injection: plain values without a Nest life cycle of their own. */
import type { GatewaySettings, Logger } from '@bullpen/platform';
import type { createPool } from '@bullpen/store';

export const SETTINGS = Symbol('settings');
export const LOGGER = Symbol('logger');
/** Knows the values that no answer may hold. */
export const MASKER = Symbol('masker');
/** The Prisma client: lists and details. */
export const PRISMA = Symbol('prisma');
/** The `pg` pool: commands. */
export const POOL = Symbol('pool');
export const EVENT_BUS = Symbol('event bus');
export const TASK_COMMANDS = Symbol('task commands');
export const PROVIDER_KEYS = Symbol('provider keys');
export const POLICY_LAYERS = Symbol('policy layers');
/** The work modes and their rules. */
export const MODE_MACHINE = Symbol('mode machine');
export const MODE_SOURCES = Symbol('sources of modes');
export const TASK_QUEUE = Symbol('task queue');
export const GATEWAY_INFO = Symbol('gateway info');

/** Facts of this process that are no settings. */
export interface GatewayInfo {
  readonly version: string;
  readonly queueBackend: 'postgres' | 'redis';
  /** Where the workers of this installation reach their model, as far as the gateway's settings say. */
  readonly modelBaseUrl: string;
  readonly modelSimulated: boolean;
  /** Where people reach the gateway, without a slash at the end; known when it listens. */
  url(): string;
}

export type Pool = ReturnType<typeof createPool>;
export type { GatewaySettings, Logger };
