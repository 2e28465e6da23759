/** The model profiles of an installation: one file, a profile under each name. What is wrong is left out and told about. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ModelProfile, similarTo } from '@bullpen/contracts';
import { builtInProfile, modelFacts, profileIssue } from '@bullpen/core';
import type { z } from 'zod';
import { parseYaml } from './front-matter.js';
import { ownedFolder, readOwned } from './owned-file.js';
import type { ExtensionProblem, Flaw } from './problem.js';
import { extensionsFolder } from './sources.js';

type Profiles = ReadonlyMap<string, ModelProfile>;

/** Those of `extensions/models.yaml` by their names; none when there is no such file. Never throws. */
export function loadProfiles(home: string, problems: ExtensionProblem[]): Profiles {
  const folder = extensionsFolder(home);
  const file = join(folder, 'models.yaml');
  if (!existsSync(file)) return new Map();
  const read = readOwned(file, ownedFolder(folder));
  if ('refused' in read) {
    problems.push({ file, line: null, message: read.refused });
    return new Map();
  }
  const { profiles, flaws } = parseProfiles(read.text);
  problems.push(...flaws.map((flaw) => ({ file, ...flaw })));
  return profiles;
}

/** Pure. Fallbacks may name what comes later in the file, or a model that is known. */
export function parseProfiles(text: string): {
  readonly profiles: Profiles;
  readonly flaws: readonly Flaw[];
} {
  const yaml = parseYaml(text, 0);
  if ('flaws' in yaml) return { profiles: new Map(), flaws: yaml.flaws };
  const flaws: Flaw[] = [];
  const profiles = new Map<string, ModelProfile>();
  for (const [name, given] of Object.entries(yaml.data)) {
    const parsed = ModelProfile.safeParse(completed(name, given));
    const issue = parsed.success ? profileIssue(parsed.data) : null;
    if (parsed.success && issue === null) profiles.set(name, parsed.data);
    else if (parsed.success) flaws.push({ line: yaml.lineOf([name]), message: `${name}: ${issue ?? ''}` });
    else flaws.push(...parsed.error.issues.flatMap((one) => flawsOf(one, name, yaml.lineOf)));
  }
  return {
    profiles,
    flaws: [...flaws, ...withoutLostFallbacks(profiles, (name) => yaml.lineOf([name, 'fallback']))],
  };
}

/** What the file leaves out is as the model has it; of a model that is not known, the limits have to be there. */
function completed(name: string, given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { model } = given as { model?: unknown };
  const known = typeof model === 'string' && modelFacts(model) !== null ? builtInProfile(model) : {};
  return { ...known, ...given, name };
}

/** Takes out the profiles that would fall back to what does not exist, and says so. */
function withoutLostFallbacks(profiles: Map<string, ModelProfile>, lineOf: (name: string) => number): Flaw[] {
  const flaws: Flaw[] = [];
  for (const [name, { fallback }] of [...profiles]) {
    const lost = fallback.find(
      (other) => other === name || !(profiles.has(other) || modelFacts(other) !== null),
    );
    if (lost === undefined) continue;
    profiles.delete(name);
    const what = lost === name ? 'a profile cannot fall back to itself' : `there is no profile ${lost}`;
    flaws.push({ line: lineOf(name), message: `${name}.fallback: ${what}` });
  }
  return flaws;
}

function flawsOf(
  issue: z.core.$ZodIssue,
  name: string,
  lineOf: (path: readonly PropertyKey[]) => number,
): Flaw[] {
  const path = [name, ...issue.path];
  const place = path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      line: lineOf([...path, key]),
      message: `${place}: there is no setting ${key}${meant(key)}`,
    }));
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  const message = isMissing ? 'is missing' : issue.message.replace(/^Invalid (input|option): /, '');
  return [{ line: lineOf(path), message: `${place}: ${message}` }];
}

function meant(key: string): string {
  const similar = similarTo(key, Object.keys(ModelProfile.shape));
  return similar === null ? '' : `; did you mean ${similar}?`;
}
