/** What the agent loop is given in a worker: the real model, tools, workspaces, clock and ids. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type AgentDefinition } from '@bullpen/contracts';
import {
  mayChange,
  harnessTools,
  type LoopDeps,
  type Masker,
  type ProcessRecords,
  type ProviderGate,
  type Tool,
  ToolRegistry,
} from '@bullpen/core';
import { packStoreAt, QuotaPacks } from '@bullpen/checkpoints';
import { CodeIndexes, codeTools } from '@bullpen/code-index';
import { loadExtensions, tellProblems } from '@bullpen/extensions';
import { AnthropicModel, priceOf, TokenCounter } from '@bullpen/models';
import {
  homeId,
  modelUrlOf,
  newId,
  OURS,
  ownFolder,
  ownHome,
  passedByOthers,
  routeTo,
  type Logger,
  type ProxySettings,
  type WorkerSettings,
} from '@bullpen/platform';
import {
  Attachments,
  type createPool,
  PostgresPackStore,
  PromptBodies,
  providerKeyOf,
  type DueRestores,
  WorkspaceHouse,
  WorkspaceRows,
  type PostgresTaskStore,
  type ProviderKey,
} from '@bullpen/store';
import {
  BUILT_IN_TOOLS,
  createTools,
  runCommandTool,
  schemaIssues,
  validateJson,
  type FileTracker,
} from '@bullpen/tools';
import {
  GitWorkspaces,
  letThrough,
  MachineSurroundings,
  nobodyUser,
  Processes,
  readPage,
  WorkspaceManager,
  type CommandUser,
  type SandboxLevel,
} from '@bullpen/workspace';
import { commandJudge } from './judge-command.js';
import type { LiveDeltas } from './live-deltas.js';
import { ownFolderOf } from './own-folder-of.js';
import { promptLog } from './prompt-log.js';
import { RoutedModel } from './routed-model.js';
import { sandboxOf } from './sandbox.js';
import { timeoutSignal } from './timeout-signal.js';
import { Copies } from './workspaces/copies.js';
import { House } from './workspaces/house.js';
import { MergedChanges } from './workspaces/merged-changes.js';
import { Repositories } from './workspaces/repositories.js';
import { WorkspaceRestores } from './workspaces/restores.js';
import { TaskWorkspaces } from './workspaces/task-workspaces.js';

/** What a simulator is given as a key: it takes any. */
const SIMULATED_KEY = 'simulated';
export interface LoopDepsOptions {
  readonly settings: WorkerSettings;
  readonly logger: Logger;
  readonly store: PostgresTaskStore;
  readonly pool: ReturnType<typeof createPool>;
  readonly live: LiveDeltas;
  readonly gate: ProviderGate;
  readonly tracker: FileTracker;
  /** Knows the values that must not be seen. */
  readonly masker: Masker;
  readonly workerId: string;
  readonly records: ProcessRecords;
  /** Restores that people have asked for. */
  readonly due: DueRestores;
  /** Where commands of agents find programs, as in PATH. */
  readonly commandPath: string;
}

/** Everything but what belongs to one run (the last look at its lease, the sign to yield), the processes of all runs, what holds them, who removes and measures workspaces, and who brings back their files. */
export async function loopDeps(options: LoopDepsOptions): Promise<{
  deps: Omit<LoopDeps, 'shouldYield' | 'holdsLease'>;
  processes: Processes;
  house: House;
  restores: WorkspaceRestores;
  sandbox: SandboxLevel;
}> {
  const { settings, logger, store, live, gate, masker, tracker, commandPath, workerId, records } = options;
  const home = settings.BULLPEN_HOME;
  const own = ownFolderOf(settings);
  const user = await nobodyUser(settings.COMMAND_USER);
  if (process.getuid?.() === 0 && user === null) {
    logger.warn(
      { user: settings.COMMAND_USER },
      'there is no such user: run_command is refused while the worker is root',
    );
  }
  await makeFolders(home, own, user);
  const manager = managerOf(settings, user, commandPath);
  const sandbox = await sandboxOf(settings, user, logger);
  const places = placesOf(settings, options.pool, user);
  const rows = new WorkspaceRows(options.pool);
  const workspaces = new TaskWorkspaces({
    ...{ ...places, manager, store, newId, rows },
    repositories: new Repositories({
      ...{ ...places, manager, sandbox, path: commandPath },
      identity: settings.GIT_IDENTITY,
    }),
    mayWrite: ({ definition }): boolean => mayWrite(definition, registry),
  });
  const house = new House({ ...places, path: commandPath, logger });
  const restores = new WorkspaceRestores({ ...options, ...places, workspaces, rows, newId });
  const processes = new Processes({
    ...{ sandbox, records, workerId, newId },
    outputsRoot: join(home, 'outputs'),
    onProblem: (error) => logger.warn({ err: error }, 'the row of a process could not be written'),
  });
  const extensions = await loadExtensions({
    home,
    modules: settings.EXTENSIONS ?? [],
    builtInTools: BUILT_IN_TOOLS,
    schemaIssues,
  });
  tellProblems(extensions.problems, logger);
  const command = { processes, user, homesRoot: join(own, 'homes'), path: commandPath };
  const registry: ToolRegistry = new ToolRegistry([
    ...createTools({ command, records, tracker }),
    ...codeTools(new CodeIndexes(join(home, 'code-index'))),
    ...harnessTools({
      ...{ agents: extensions.agents, profiles: extensions.profiles, validate: validateJson },
      changes: new MergedChanges({ workspaces, rows, owner: user }),
    }),
    ...extensions.tools,
  ]);
  const model = new RoutedModel(new AnthropicModel(accessOf(settings)), settings);
  const deps = {
    store,
    model,
    ...promptLogOf(options),
    countTokens: new TokenCounter({ ask: (request, signal) => model.countTokens(request, signal) }),
    tools: ({ definition }) => toolsFor(definition, registry),
    setupTool: runCommandTool({ command }),
    workspace: (task, lease, signal, tell) => {
      house.sizes.used(task.workspaceId);
      return workspaces.open(task, lease, signal, tell);
    },
    ...surroundingsOf(settings, options.pool, commandPath, sandbox.level),
    validate: validateJson,
    priceOf,
    judgeCommand: commandJudge(commandPath, sandbox.level !== 'none'),
    ...{ gate, masker },
    now: Date.now,
    // At once when the signal fires, which is no error here.
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    timeout: timeoutSignal,
    ...{ random: Math.random, newId },
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    emit: (taskId, delta) => live.push(taskId, delta),
  } satisfies Omit<LoopDeps, 'shouldYield' | 'holdsLease'>;
  return { deps, processes, house, restores, sandbox: sandbox.level };
}

/** Nothing where the installation keeps none. */
function promptLogOf({ settings, pool, masker, logger }: LoopDepsOptions): Pick<LoopDeps, 'promptLog'> {
  if (settings.PROMPT_BODIES === 'off') return {};
  return { promptLog: promptLog(new PromptBodies(pool), masker, logger) };
}

/** What tasks are told about this machine, and shown with their words. */
function surroundingsOf(
  { NETWORK_ALLOW_PRIVATE = [] }: WorkerSettings,
  pool: LoopDepsOptions['pool'],
  commandPath: string,
  sandbox: SandboxLevel,
): Required<Pick<LoopDeps, 'surroundings' | 'media'>> {
  const media = new Attachments(pool);
  const surroundings = new MachineSurroundings({
    ...{ commandPath, sandbox, media, now: Date.now },
    pages: (network) => (url, limit, signal) =>
      readPage(url, limit, { network, addresses: { allowed: NETWORK_ALLOW_PRIVATE } }, signal),
  });
  return { media, surroundings };
}

async function makeFolders(home: string, own: string, user: CommandUser | null): Promise<void> {
  // Whoever made the home, with a database of its own or without, may have closed it to all others.
  for (const folder of new Set([home, own])) {
    ownHome(folder);
    await letThrough(folder, user);
  }
  for (const name of ['workspaces', 'homes']) ownFolder(join(own, name), passedByOthers());
  for (const folder of [join(home, 'outputs'), join(own, 'shadows')]) ownFolder(folder, OURS);
}

/** Makes the folders that tasks work in. */
function managerOf(settings: WorkerSettings, user: CommandUser | null, path: string): WorkspaceManager {
  // Which folders may be named was decided where the task was submitted.
  return new WorkspaceManager({
    root: join(ownFolderOf(settings), 'workspaces'),
    ...{ allowPaths: 'any', allowInPlace: true },
    gitRules: { hosts: settings.GIT_HOSTS, protocols: settings.GIT_PROTOCOLS },
    git: new GitWorkspaces({ settings, mirrorsRoot: join(settings.BULLPEN_HOME, 'mirrors'), path }),
    commandUser: user,
  });
}

/** What lies where on this machine, and what is stored of it. */
function placesOf(
  settings: WorkerSettings,
  pool: LoopDepsOptions['pool'],
  user: Awaited<ReturnType<typeof nobodyUser>>,
) {
  const own = ownFolderOf(settings);
  const shadows = join(own, 'shadows');
  const packs = () => packStoreAt(settings.CHECKPOINT_STORE, () => new PostgresPackStore(pool));
  const quota = {
    line: settings.CHECKPOINT_TREE_BYTES ?? null,
    all: settings.CHECKPOINT_TOTAL_BYTES ?? null,
  };
  return {
    ...{ root: join(own, 'workspaces'), homesRoot: join(own, 'homes'), shadows, user },
    ...{ home: homeId(own), copies: new Copies(shadows), house: new WorkspaceHouse(pool) },
    packs: settings.CHECKPOINTS ? new QuotaPacks(packs(), quota) : null,
    budget: { ms: settings.CHECKPOINT_MAX_MS, bytes: settings.CHECKPOINT_MAX_BYTES },
    keepHours: settings.WORKSPACE_KEEP_HOURS ?? null,
  };
}

type KeySettings = ProxySettings &
  Pick<WorkerSettings, 'ANTHROPIC_API_KEY' | 'ANTHROPIC_BASE_URL' | 'MODEL_SIMULATED'>;

/** What the workers with the same endpoint and key share. */
export function providerKey(settings: KeySettings): ProviderKey {
  const { baseURL, apiKey } = accessOf(settings);
  return providerKeyOf(baseURL, apiKey);
}

/**
 * @throws AppError `config_invalid` without a key: every request would be refused, and the key that is none parked for all; and
 * for a proxy that cannot be used.
 */
function accessOf(settings: KeySettings) {
  const { ANTHROPIC_API_KEY, MODEL_SIMULATED } = settings;
  const apiKey = ANTHROPIC_API_KEY ?? (MODEL_SIMULATED ? SIMULATED_KEY : '');
  if (apiKey === '')
    throw new AppError(
      'config_invalid',
      'A worker needs ANTHROPIC_API_KEY (or ANTHROPIC_API_KEY_FILE): set it to a key for Claude. `bullpen up` without a key uses the local model simulator instead.',
    );
  const baseURL = modelUrlOf(settings);
  const route = routeTo(baseURL, settings);
  return { apiKey, baseURL, proxy: route.kind === 'proxy' ? route.proxy : null };
}

/**
 * @throws AppError `unknown_tool` when this worker lacks one of them: without it the agent would do something else than what it was made for.
 * The task ends with this text before the model is called, and goes on from there once the tool is back.
 */
function toolsFor(definition: AgentDefinition, registry: ToolRegistry): ReadonlyMap<string, Tool> {
  const missing = registry.missingFrom(definition);
  if (missing.length === 0) return registry.toolsOf(definition);
  throw new AppError(
    'unknown_tool',
    `The agent ${definition.name} works with ${missing.join(', ')}, which this worker does not have: the file or module that brings it is missing or has a fault (bullpen doctor says which). Mend it, restart Bullpen, and retry the task.`,
  );
}

function mayWrite(definition: AgentDefinition, registry: ToolRegistry): boolean {
  return [...toolsFor(definition, registry).values()].some(({ group }) => mayChange(group));
}
