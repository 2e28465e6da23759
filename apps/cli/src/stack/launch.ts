/** Starts a stack from what the command line and the environment say: the real database, the real programs. */
import { existsSync } from 'node:fs';
import { AppError } from '@bullpen/contracts';
import { modelUrlOf, parseEnv, routeTo, silentLogger, upSettings, type UpSettings } from '@bullpen/platform';
import { migrate, startEmbeddedPostgres } from '@bullpen/store/server';
import type { GlobalOptions } from '../config.js';
import type { Context } from '../context.js';
import { findHome } from '../place.js';
import { builtScripts, type Scripts } from './plan.js';
import { requireReady, requireRedis } from './readiness.js';
import { Stack, type StackEvent } from './stack.js';

export interface LaunchOptions {
  readonly settings: UpSettings;
  readonly anyPort: boolean;
  /** See `StackOptions`. */
  readonly ownFolders?: boolean;
  readonly signal: AbortSignal;
  onEvent(event: StackEvent): void;
}

/** The settings of `bullpen up`; `changes` win over the environment. Throws `config_invalid` with all problems. */
export function readUpSettings(
  context: Context,
  options: GlobalOptions,
  changes: Record<string, string> = {},
): UpSettings {
  const BULLPEN_HOME = findHome(options, context.env, context.cwd);
  return parseEnv(upSettings, { ...context.env, ...changes, BULLPEN_HOME });
}

/**
 * Starts the stack and resolves when it is ready for tasks. Throws what `Stack.start` throws, `queue_unreachable` when there is no
 * use in starting, and `not_ready` when something is missing all the same; nothing is left running then.
 */
export async function launch(
  context: Context,
  { settings, anyPort, ownFolders = false, signal, onEvent }: LaunchOptions,
): Promise<Stack> {
  const scripts = builtScripts();
  refuseUnbuilt(scripts);
  // Throws for a proxy that cannot be used: the workers would, one after the other.
  if (settings.ANTHROPIC_API_KEY !== undefined) routeTo(modelUrlOf(settings), settings);
  const logger = silentLogger();
  if (settings.REDIS_URL !== undefined) await requireRedis(settings.REDIS_URL, signal);
  const stack = await Stack.start(
    {
      settings,
      env: context.env,
      scripts,
      anyPort,
      ownFolders,
      startDatabase: () => startEmbeddedPostgres({ home: settings.BULLPEN_HOME, logger }),
      migrate: (databaseUrl) => migrate({ databaseUrl }),
      onEvent,
    },
    signal,
  );
  try {
    await requireReady(stack.info.url, signal);
    return stack;
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

function refuseUnbuilt(scripts: Scripts): void {
  const missing = Object.values(scripts).filter((path: string) => !existsSync(path));
  if (missing.length > 0)
    throw new AppError('config_invalid', `Not built yet: ${missing.join(', ')}\nRun: npm run build`);
}
