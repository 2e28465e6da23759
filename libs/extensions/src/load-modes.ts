/**
 * Reads the work modes of all sources. A mode of the installation's folder takes the place of the one that ships under its name; a new one
 * says from where it is entered. What does not fit is left out and told about: the modes that ship always work.
 */
import type { AgentSource, ModeDefinition } from '@bullpen/contracts';
import { machineProblems, type ModeProblem } from '@bullpen/core';
import { parseModeFile, type ParsedMode } from './mode-file.js';
import { readOwned } from './owned-file.js';
import type { ExtensionProblem } from './problem.js';
import { meant } from './schema-flaws.js';
import { BUILT_IN, filesIn, sourceOf, type Source } from './sources.js';

interface LoadedMode extends ParsedMode {
  readonly file: string;
  readonly source: AgentSource;
}

/** Modes that fit together, and where each comes from, by name. */
export interface LoadedModes {
  readonly modes: readonly ModeDefinition[];
  readonly sources: ReadonlyMap<string, AgentSource>;
}

/** Sets of modes that fit together: those that ship, with those of people that fit to them. */
export function loadModes(sources: readonly Source[], problems: ExtensionProblem[]): LoadedModes {
  let modes = sources.flatMap((source) => modesIn(source, problems));
  for (;;) {
    const machine = assembled(modes);
    const found = [...entryProblems(modes), ...machineProblems(machine)];
    if (found.length === 0) return withSources(machine, modes);
    const left = blamed(modes, found, problems);
    // What ships fits together (a spec says so), so there is always a file to blame.
    if (left.length === modes.length) {
      const shipped = modes.filter(isShipped);
      return withSources(assembled(shipped), shipped);
    }
    modes = left;
  }
}

/** The modes that ship with the product. */
export function builtInModes(): readonly ModeDefinition[] {
  return loadModes([BUILT_IN], []).modes;
}

function modesIn(source: Source, problems: ExtensionProblem[]): LoadedMode[] {
  return filesIn(source, 'modes', /\.md$/i, problems).flatMap((file) => {
    const read = readOwned(file, source.folder);
    const parsed =
      'refused' in read ? { flaws: [{ line: null, message: read.refused }] } : parseModeFile(read.text);
    if (!('flaws' in parsed)) return [{ ...parsed, file, source: sourceOf(source, file) }];
    problems.push(...parsed.flaws.map((flaw) => ({ file, ...flaw })));
    return [];
  });
}

/** Ways in from modes that do not exist. */
function entryProblems(modes: readonly LoadedMode[]): readonly ModeProblem[] {
  const names = modes.map(({ definition }) => definition.name);
  return modes.flatMap(({ definition: { name }, entered }) =>
    entered
      .filter(({ from }) => !names.includes(from))
      .map(({ from }) => ({
        mode: name,
        rule: null,
        message: `entered: there is no mode ${from}${meant(from, names)}`,
      })),
  );
}

/** The last file with a name has it; rules that lead into a mode go to the modes that they lead from. */
function assembled(modes: readonly LoadedMode[]): readonly ModeDefinition[] {
  const byName = new Map(modes.map(({ definition }) => [definition.name, definition]));
  const used = modes.filter(({ definition }) => byName.get(definition.name) === definition);
  return [...byName.values()].map((mode) => ({
    ...mode,
    rules: [
      ...mode.rules,
      ...used.flatMap(({ definition, entered }) =>
        entered.flatMap(({ from, ...rule }) =>
          from === mode.name ? [{ ...rule, to: definition.name }] : [],
        ),
      ),
    ],
  }));
}

/** The modes without the files of people that are at fault, each of which is told about. */
function blamed(
  modes: readonly LoadedMode[],
  found: readonly ModeProblem[],
  problems: ExtensionProblem[],
): LoadedMode[] {
  const own = modes.filter((mode) => !isShipped(mode));
  const guilty = new Set<LoadedMode>();
  for (const { mode, rule, message } of found) {
    const named = own.findLast(({ definition }) => definition.name === mode);
    // A fault that shows in a mode that ships came in with a file that leads into it, or took the place of another.
    const file = named ?? own.find(({ entered }) => entered.some(({ from }) => from === mode)) ?? own.at(-1);
    if (file === undefined || guilty.has(file)) continue;
    guilty.add(file);
    const isOwnRule = named !== undefined && (rule ?? 0) < named.definition.rules.length;
    problems.push({ file: file.file, line: file.lineOf(isOwnRule ? rule : null), message });
  }
  return modes.filter((mode) => !guilty.has(mode));
}

function isShipped({ source }: LoadedMode): boolean {
  return source.kind === 'built-in';
}

function withSources(machine: readonly ModeDefinition[], modes: readonly LoadedMode[]): LoadedModes {
  return {
    modes: sorted(machine),
    // As with the definitions, the last file with a name has it.
    sources: new Map(modes.map(({ definition, source }) => [definition.name, source])),
  };
}

function sorted(modes: readonly ModeDefinition[]): readonly ModeDefinition[] {
  const order = (mode: ModeDefinition) => [mode.phase ?? 9, mode.name === 'idle' ? 0 : 1] as const;
  return [...modes].sort((a, b) => {
    const [phaseA, idleA] = order(a);
    const [phaseB, idleB] = order(b);
    return phaseA - phaseB || idleA - idleB || a.name.localeCompare(b.name, 'en');
  });
}
