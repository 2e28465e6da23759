/** Which profiles a task is given, and what is wrong with them. */
import { similarOnes, type AgentDefinition, type ModelProfile } from '@bullpen/contracts';
import { estimateTokens, MOST_TOKENS_PER_UNIT } from '../context/estimate.js';
import { builtInProfile, modelFacts, settingIssue } from '../task/model-facts.js';
import { bounded } from '../task/profile-of.js';

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
  for (const profile of profiles) {
    const issue = roomIssue(profile, definition.systemPrompt);
    if (issue !== null) return { problem: `The profile ${profile.name} cannot be used: ${issue}.` };
  }
  return withHelper({ ...definition, model: first.model, profiles }, named);
}

/** The definition with the profile that it names for calls that only help it, where it names one. */
export function withHelper(
  definition: AgentDefinition,
  named: NamedProfiles,
): { readonly definition: AgentDefinition } | { readonly problem: string } {
  const { helperProfile: name } = definition;
  if (name === null) return { definition };
  const helper = named.get(name) ?? (modelFacts(name) === null ? undefined : builtInProfile(name));
  return helper === undefined
    ? { problem: `helperProfile: ${unknownProfileText(name, named)}` }
    : { definition: { ...definition, helper } };
}

/** What the tools, one exchange and what every system prompt says need at the least, in tokens. */
const LEAST_ROOM = 2_000;

/** What is wrong with a profile: settings that its model refuses, or limits that leave no room. Null when it can be used. */
export function profileIssue(profile: ModelProfile): string | null {
  if (profile.provider === 'compatible' && profile.baseUrl === null)
    return 'baseUrl: is missing; a compatible endpoint has no usual address';
  const isCloud = profile.provider === 'bedrock' || profile.provider === 'vertex';
  if (!isCloud && (profile.region ?? profile.project) !== null)
    return `${profile.region === null ? 'project' : 'region'}: belongs to the providers bedrock and vertex`;
  if (profile.provider === 'bedrock' && profile.project !== null)
    return 'project: belongs to the provider vertex';
  if (profile.provider === 'vertex' && profile.keyName !== null)
    return 'keyName: vertex takes no key; it uses the credentials of the worker (GOOGLE_APPLICATION_CREDENTIALS)';
  if (profile.keyName !== null && profile.baseUrl === null && !isCloud)
    return 'keyName: belongs to a baseUrl; the endpoint of the installation has its own key';
  if (profile.baseUrl !== null && hasUser(profile.baseUrl))
    return 'baseUrl: must hold no user and no password; put the key into SECRET_VALUES and its name into keyName';
  return settingIssue(profile) ?? roomIssue(profile);
}

function hasUser(url: string): boolean {
  const { username, password } = new URL(url);
  return username + password !== '';
}

/** Why the limits leave no room for a conversation of an agent with this prompt of its own; null when they do. */
function roomIssue({ contextWindow, maxOutputTokens, thinking }: ModelProfile, prompt = ''): string | null {
  const room = contextWindow - maxOutputTokens;
  // Counted only where it may not fit: that takes longer than all else about a submit.
  const mayNotFit = room < LEAST_ROOM + prompt.length * MOST_TOKENS_PER_UNIT;
  const least = mayNotFit ? LEAST_ROOM + estimateTokens(prompt) : 0;
  if (room < least)
    return `a window of ${contextWindow} tokens less ${maxOutputTokens} for the answer is ${room}, where prompt and tools need at least ${least}`;
  if (typeof thinking === 'object' && thinking.budgetTokens >= maxOutputTokens)
    return `thinking may take ${thinking.budgetTokens} of the ${maxOutputTokens} tokens of an answer, which leaves none for the answer itself`;
  return null;
}

function unknownProfileText(name: string, named: NamedProfiles): string {
  const known = [...named.keys()];
  const near = similarOnes(name, known);
  if (near.length > 0) return `There is no profile ${name}. Did you mean ${near.slice(0, 3).join(' or ')}?`;
  const list =
    known.length === 0 ? 'This installation has none of its own.' : `Profiles: ${known.join(', ')}.`;
  return `There is no profile ${name}. ${list}`;
}
