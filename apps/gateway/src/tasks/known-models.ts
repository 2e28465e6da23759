/** Which models tasks may use: those with a known price, and those that the installation names itself. */
import { AppError, similarOnes } from '@bullpen/contracts';
import { modelFacts, type KnownModels, type NamedProfiles } from '@bullpen/core';
import { hasPrice, PRICED_MODELS } from '@bullpen/models/prices';

interface ModelSettings {
  readonly DEFAULT_MODEL: string;
  readonly EXTRA_MODELS?: readonly string[] | undefined;
}

const MOST_SUGGESTED = 3;

/** Throws `config_invalid` when the default model is none of them: every task would be refused. */
export function knownModels({ DEFAULT_MODEL, EXTRA_MODELS = [] }: ModelSettings): KnownModels {
  const any = EXTRA_MODELS.includes('any');
  const problemOf = (model: string): string | null =>
    any || hasPrice(model) || EXTRA_MODELS.includes(model) ? null : problemText(model, EXTRA_MODELS);
  const problem = problemOf(DEFAULT_MODEL);
  if (problem !== null) throw new AppError('config_invalid', `DEFAULT_MODEL: ${problem}`);
  return { problemOf, hasPrice };
}

/** The setting HELPER_PROFILE, or null without one. Throws `config_invalid` when there is no such profile: every task would be refused. */
export function knownHelper(name: string | undefined, profiles: NamedProfiles): string | null {
  if (name === undefined || profiles.has(name) || modelFacts(name) !== null) return name ?? null;
  const known = [...profiles.keys()].join(', ') || 'none of your own';
  throw new AppError(
    'config_invalid',
    `HELPER_PROFILE: there is no model profile or model ${name}. Profiles: ${known}.`,
  );
}

function problemText(model: string, extra: readonly string[]): string {
  const known = [...PRICED_MODELS, ...extra];
  const near = nearNames(model, known);
  const meant = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : `Known models: ${known.join(', ')}.`;
  return `The model ${JSON.stringify(model)} is not known. ${meant} A model of another endpoint has to be listed in the gateway's setting EXTRA_MODELS.`;
}

/** Names that hold what was written (`opus-5.5`, `sonnet`), or that it holds (`…-preview`), or else those that it may be a slip of. */
function nearNames(model: string, known: readonly string[]): string[] {
  const written = withoutMaker(model.toLowerCase().replaceAll(/[\s._/]+/g, '-'));
  const byName = new Map(known.map((name) => [withoutMaker(name.toLowerCase()), name] as const));
  const names = [...byName.keys()];
  const holding = written.length < 3 ? [] : newestFirst(names.filter((name) => name.includes(written)));
  const held = names.filter((name) => written.includes(name)).sort((a, b) => b.length - a.length);
  const near = [holding, held, similarOnes(written, names)].find((found) => found.length > 0) ?? [];
  return near.slice(0, MOST_SUGGESTED).map((name) => byName.get(name) ?? name);
}

/** Names end with their version: `sonnet-5-5`, `sonnet-5`, `sonnet-4-6`. */
function newestFirst(names: readonly string[]): readonly string[] {
  return names.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}

/** What most names have in common says nothing about which one is meant. */
function withoutMaker(name: string): string {
  return name.replace(/^(anthropic-)?claude-/, '');
}
