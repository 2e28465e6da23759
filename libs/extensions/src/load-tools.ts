/**
 * Imports the tools of all sources: JavaScript and TypeScript that runs inside of gateway and workers. A module that is broken is left out
 * and told about. Code that never gives control back, or ends the process, cannot be stopped from here: it is the owner's own.
 */
import { join } from 'node:path';
import type { Tool } from '@bullpen/core';
import type { ModuleImporter } from './module-importer.js';
import { readOwned } from './owned-file.js';
import type { ExtensionProblem, Flaw } from './problem.js';
import { filesIn, type Source } from './sources.js';
import { toolOf } from './tool-definition.js';

/** A module with tools. */
interface ToolModule {
  readonly path: string;
  readonly source: Source;
}

interface LoadedTool {
  readonly tool: Tool;
  readonly path: string;
  readonly nameLine: number;
}

/** In the order of sources and files. The first tool with a name has it. */
export async function loadTools(
  sources: readonly Source[],
  builtInTools: readonly string[],
  importer: ModuleImporter,
  problems: ExtensionProblem[],
): Promise<readonly Tool[]> {
  const tools = new Map<string, LoadedTool>();
  // One after the other: which of two with one name is refused must not depend on speed.
  for (const module of sources.flatMap((source) => modulesOf(source, importer, problems))) {
    const { tools: found, flaws } = await readModule(module, importer);
    problems.push(...flaws.map((flaw) => ({ file: module.path, ...flaw })));
    for (const loaded of found) {
      const taken = takenText(loaded.tool.name, builtInTools, tools);
      if (taken === null) tools.set(loaded.tool.name, loaded);
      else
        problems.push({
          file: module.path,
          line: loaded.nameLine,
          message: `name: ${taken}; choose another`,
        });
    }
  }
  return [...tools.values()].map(({ tool }) => tool);
}

function takenText(
  name: string,
  builtInTools: readonly string[],
  tools: ReadonlyMap<string, LoadedTool>,
): string | null {
  if (builtInTools.includes(name)) return `${name} is the name of a built-in tool`;
  const other = tools.get(name);
  return other === undefined ? null : `${name} is taken by ${other.path}`;
}

/** Files of the installation, or what a module of npm runs when it is imported, if anything. */
function modulesOf(
  source: Source,
  importer: ModuleImporter,
  problems: ExtensionProblem[],
): readonly ToolModule[] {
  if (source.kind === 'built-in') return [];
  if (source.module === null)
    return filesIn(source, 'tools', /(?<!\.d)\.m?[jt]s$/i, problems).map((path) => ({ path, source }));
  const path = importer.entryOf(source.module, join(source.folder.path, '..'));
  return path === null ? [] : [{ path, source }];
}

async function readModule(
  { path, source }: ToolModule,
  importer: ModuleImporter,
): Promise<{ readonly tools: readonly LoadedTool[]; readonly flaws: readonly Flaw[] }> {
  const read = readOwned(path, source.folder);
  if ('refused' in read) return { tools: [], flaws: [{ line: null, message: read.refused }] };
  const imported = await importer.import(path, read.text);
  if ('flaw' in imported) return { tools: [], flaws: [imported.flaw] };
  const { default: one, tools: several = [] } = imported.exports;
  const given = source.module === null ? [one] : Array.isArray(several) ? several : [several];
  const made = given.map(toolOf);
  return {
    tools: made.flatMap((result) =>
      'tool' in result ? [{ tool: result.tool, path, nameLine: lineOf('name', read.text) }] : [],
    ),
    flaws: made.flatMap((result) =>
      'tool' in result
        ? []
        : result.faults.map(({ field, message }) => ({ line: lineOf(field, read.text), message })),
    ),
  };
}

/** Where a field of a tool is written; the export, or the first line, where it is not. */
function lineOf(field: string | null, text: string): number {
  const lines = text.split('\n');
  const at =
    field === null ? -1 : lines.findIndex((line) => new RegExp(`(^|[{,\\s])${field}\\s*[:(,]`).test(line));
  const shown = at >= 0 ? at : lines.findIndex((line) => /\bexport default\b|\btools\b/.test(line));
  return Math.max(shown, 0) + 1;
}
