/** Everything that people have added to an installation, found and checked at the start of each process. */
import type {
  AgentDefinition,
  AgentSource,
  JsonSchema,
  ModeDefinition,
  ModelProfile,
} from '@bullpen/contracts';
import type { Tool } from '@bullpen/core';
import { loadAgents } from './load-agents.js';
import { loadProfiles } from './load-profiles.js';
import { loadModes } from './load-modes.js';
import { loadTools } from './load-tools.js';
import { ModuleImporter } from './module-importer.js';
import type { ExtensionProblem } from './problem.js';
import { findSources } from './sources.js';

export interface ExtensionSettings {
  /** The folder `BULLPEN_HOME`. */
  readonly home: string;
  /** Names of npm modules. */
  readonly modules: readonly string[];
  /** Names of the tools that the product has itself. */
  readonly builtInTools: readonly string[];
  /** What is wrong with a JSON Schema itself; empty when it can be used. */
  readonly schemaIssues: (schema: JsonSchema) => readonly string[];
  /** How long a module with tools may take to load, in ms. @defaultValue 10 s */
  readonly loadMs?: number;
}

export interface Extensions {
  /** Those that ship with the product first; names are unique. */
  readonly agents: readonly AgentDefinition[];
  /** Where each of them comes from, by name. */
  readonly sources: ReadonlyMap<string, AgentSource>;
  /** Those that people have added. */
  readonly tools: readonly Tool[];
  /** Names of all tools there are, with the product's own. */
  readonly toolNames: readonly string[];
  /** The model profiles that people have written, by name. */
  readonly profiles: ReadonlyMap<string, ModelProfile>;
  /** Work modes, which fit together as a machine. */
  readonly modes: readonly ModeDefinition[];
  /** Where each of them comes from, by name. */
  readonly modeSources: ReadonlyMap<string, AgentSource>;
  /** What was left out, and why. */
  readonly problems: readonly ExtensionProblem[];
}

/** Never throws for what people wrote: that is among the problems, and the rest is there. */
export async function loadExtensions({
  home,
  modules,
  builtInTools,
  schemaIssues,
  loadMs,
}: ExtensionSettings): Promise<Extensions> {
  const { sources, problems: missing } = findSources(home, modules);
  const problems = [...missing];
  const tools = await loadTools(sources, builtInTools, new ModuleImporter(loadMs), problems);
  // Afterwards, so that they can list the tools.
  const toolNames = [...builtInTools, ...tools.map(({ name }) => name)];
  const agents = loadAgents(sources, { toolNames, schemaIssues }, problems);
  const { modes, sources: modeSources } = loadModes(sources, problems);
  return {
    agents: agents.map(({ definition }) => definition),
    sources: new Map(agents.map(({ definition, source }) => [definition.name, source])),
    ...{ tools, toolNames },
    profiles: loadProfiles(home, problems),
    modes,
    modeSources,
    problems,
  };
}
