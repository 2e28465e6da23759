/**
 * Which files git would leave out. Rules come from the .gitignore files of each folder, from `.git/info/exclude`, and, for a
 * folder inside a repository, from the folders above it. The user's global git configuration plays no part, so that the same
 * workspace looks alike on every machine.
 */
import type { PathLike } from 'node:fs';
import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { compileGlob, globMatches, type Glob } from './glob.js';
import { readPlainFile } from './plain-file.js';

export interface IgnoreRule {
  readonly glob: Glob;
  readonly negated: boolean;
  readonly foldersOnly: boolean;
}

/** The rules of one folder; `depth` is how many names lead from the base of the compared paths to that folder. */
interface RuleLevel {
  readonly depth: number;
  readonly rules: readonly IgnoreRule[];
}

/** Where rules come from besides the tree. */
export interface RuleSources {
  /** Texts of ignore files from elsewhere, like those of a user's global settings; every rule in the tree wins over them. */
  readonly excludes?: readonly string[];
  /** Called for an ignore file whose rules nobody can know; may throw to stop. @defaultValue it has no rules */
  readonly onUnreadable?: (file: PathLike, cause: unknown) => void;
}

/** Rules in force at some folder: an immutable list of levels, outermost first. The innermost rule that matches decides. */
export class IgnoreRules {
  private constructor(
    private readonly base: readonly string[],
    private readonly levels: readonly RuleLevel[],
    private readonly sources: RuleSources,
  ) {}

  /** The rules that hold for a folder from outside and in its own `.git/info/exclude`; not yet its own .gitignore. */
  static async above(root: string, sources: RuleSources = {}): Promise<IgnoreRules> {
    const top = await repositoryTop(root);
    const outside = (sources.excludes ?? []).map((text) => ({ depth: 0, rules: parseIgnoreFile(text) }));
    if (top === null) return new IgnoreRules([], outside, sources);
    const names = namesBetween(top, root);
    const exclude = levelOf(path.join(top, '.git', 'info', 'exclude'), 0, sources);
    let rules = new IgnoreRules([], [...outside, ...exclude], sources);
    for (let depth = 0; depth < names.length; depth += 1) {
      rules = await rules.withFile(path.join(top, ...names.slice(0, depth), '.gitignore'), depth);
      // What lies in an ignored folder is a world of its own: the workspaces below a project's data folder, for one.
      const name = names[depth] ?? '';
      if (name === '.bullpen' || rules.ignoredFrom(names.slice(0, depth + 1), true))
        return new IgnoreRules([], outside, sources);
    }
    return new IgnoreRules(names, rules.levels, sources);
  }

  /** These rules plus the .gitignore of a folder (absolute path, and its names from the root down). */
  async inFolder(absolutePath: PathLike, names: readonly string[]): Promise<IgnoreRules> {
    const file = Buffer.isBuffer(absolutePath)
      ? Buffer.concat([absolutePath, Buffer.from('/.gitignore')])
      : path.join(String(absolutePath), '.gitignore');
    return this.withFile(file, this.base.length + names.length);
  }

  /** True when the entry is left out; `names` lead to it from the root down. A folder that is left out hides all it holds. */
  ignores(names: readonly string[], isFolder: boolean): boolean {
    return this.ignoredFrom(this.base.length === 0 ? names : [...this.base, ...names], isFolder);
  }

  private ignoredFrom(names: readonly string[], isFolder: boolean): boolean {
    for (let level = this.levels.length - 1; level >= 0; level -= 1) {
      const { depth, rules } = this.levels[level] as RuleLevel;
      const decided = decidedBy(rules, depth === 0 ? names : names.slice(depth), isFolder);
      if (decided !== null) return decided;
    }
    return false;
  }

  private async withFile(file: PathLike, depth: number): Promise<IgnoreRules> {
    const level = levelOf(file, depth, this.sources);
    return level.length === 0 ? this : new IgnoreRules(this.base, [...this.levels, ...level], this.sources);
  }
}

/** Whether rules leave an entry out; null when none of them speaks of it. The last one that does decides. */
export function decidedBy(
  rules: readonly IgnoreRule[],
  names: readonly string[],
  isFolder: boolean,
): boolean | null {
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const rule = rules[index] as IgnoreRule;
    if (rule.foldersOnly && !isFolder) continue;
    if (globMatches(rule.glob, names)) return !rule.negated;
  }
  return null;
}

/** The rules of an ignore file's text, in order. */
export function parseIgnoreFile(text: string): readonly IgnoreRule[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line) => parseRule(line) ?? []);
}

function parseRule(line: string): IgnoreRule | null {
  if (line.startsWith('#') || line.length > MAX_RULE_CHARS) return null;
  let pattern = withoutTrailingSpaces(line);
  const negated = pattern.startsWith('!');
  if (negated) pattern = pattern.slice(1);
  const foldersOnly = pattern.endsWith('/');
  if (foldersOnly) pattern = pattern.slice(0, -1);
  return pattern === '' ? null : { glob: compileGlob(pattern), negated, foldersOnly };
}

/** Spaces at the end count only when a backslash quotes them; then one is kept, as in git. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, end < line.length && backslashes % 2 === 1 ? end + 1 : end);
}

/** Bounds of the work that a stranger's repository can cause; git has none, but nobody writes longer rules (PATH_MAX) or files. */
const MAX_RULE_CHARS = 4_096;
export const MAX_IGNORE_FILE_BYTES = 256_000;

function levelOf(file: PathLike, depth: number, { onUnreadable }: RuleSources): readonly RuleLevel[] {
  try {
    const content = readPlainFile(file, MAX_IGNORE_FILE_BYTES);
    const rules = content === null ? [] : parseIgnoreFile(content.toString('utf8'));
    return rules.length === 0 ? [] : [{ depth, rules }];
  } catch (error) {
    // git does not follow a .gitignore that is a link either; here it could lead out of the workspace. What nobody can read has no rules.
    onUnreadable?.(file, error);
    return [];
  }
}

/** The nearest folder, from this one upwards, that holds `.git`; null outside of any repository. */
async function repositoryTop(folder: string): Promise<string | null> {
  for (let current = folder; ; current = path.dirname(current)) {
    const found = await lstat(path.join(current, '.git')).then(
      () => true,
      () => false,
    );
    if (found) return current;
    if (current === path.dirname(current)) return null;
  }
}

function namesBetween(top: string, folder: string): readonly string[] {
  const relative = path.relative(top, folder);
  return relative === '' ? [] : relative.split(path.sep);
}
