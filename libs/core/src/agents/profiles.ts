/** Which profile a task's requests are made from, and which profiles there are. */
import { similarOnes, type AgentDefinition, type ModelProfile } from '@bullpen/contracts';
import { builtInProfile } from './model-facts.js';

/**
 * The profile of a task's next request. Every size is measured against this one: its window, and the room that it keeps for an
 * answer.
 */
export function profileOf({ definition }: { readonly definition: AgentDefinition }): ModelProfile {
  return definition.profiles[0] ?? bounded(builtInProfile(definition.model), definition);
}

/** An answer is at most as long as both the profile and the agent allow. */
function bounded(profile: ModelProfile, { maxOutputTokens }: AgentDefinition): ModelProfile {
  return { ...profile, maxOutputTokens: Math.min(profile.maxOutputTokens, maxOutputTokens) };
}

/** The profile and the fallbacks of a task, for a subtask whose agent names none. */
export function inheritedProfiles(
  parent: AgentDefinition,
  agent: AgentDefinition,
): Pick<AgentDefinition, 'model' | 'profile' | 'profiles'> {
  const { model, profile, profiles } = parent;
  return { model, profile, profiles: profiles.map((one) => bounded(one, agent)) };
}

/** The profiles that this installation names itself. */
export type NamedProfiles = ReadonlyMap<string, ModelProfile>;

/** The definition with its profile and the ones to fall back to filled in; what cannot be is said instead. */
export function withProfiles(
  definition: AgentDefinition,
  named: NamedProfiles,
): { readonly definition: AgentDefinition } | { readonly problem: string } {
  const first =
    definition.profile === null ? builtInProfile(definition.model) : named.get(definition.profile);
  if (first === undefined) return { problem: unknownProfileText(definition.profile ?? '', named) };
  const others = first.fallback.map((name) => named.get(name) ?? builtInProfile(name));
  const profiles = [first, ...others].map((profile) => bounded(profile, definition));
  const crowded = profiles.map(roomIssue).find((issue) => issue !== null);
  if (crowded !== undefined) return { problem: crowded };
  return { definition: { ...definition, model: first.model, profiles } };
}

/** What the system prompt, the tools and one exchange need at the least, in tokens. */
const LEAST_ROOM = 2_000;

/** Why a profile leaves no room for a conversation; null when it does. */
export function roomIssue({ name, contextWindow, maxOutputTokens }: ModelProfile): string | null {
  const room = contextWindow - maxOutputTokens;
  return room >= LEAST_ROOM
    ? null
    : `The profile ${name} leaves no room: a window of ${contextWindow} tokens less ${maxOutputTokens} for the answer is ${room}, where prompt and tools need at least ${LEAST_ROOM}.`;
}

function unknownProfileText(name: string, named: NamedProfiles): string {
  const known = [...named.keys()];
  const near = similarOnes(name, known);
  if (near.length > 0) return `There is no profile ${name}. Did you mean ${near.slice(0, 3).join(' or ')}?`;
  const list =
    known.length === 0 ? 'This installation has none of its own.' : `Profiles: ${known.join(', ')}.`;
  return `There is no profile ${name}. ${list}`;
}
