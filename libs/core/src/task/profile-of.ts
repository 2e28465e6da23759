/** Which profile a task's requests are made from. */
import type { AgentDefinition, ModelProfile, ModelRoute } from '@bullpen/contracts';
import { builtInProfile } from './model-facts.js';

/**
 * The profile of a task's next request. Every size is measured against this one: its window, and the room that it keeps for an
 * answer.
 */
export function profileOf(task: ProfiledTask): ModelProfile {
  const chain = chainOf(task);
  return chain[task.route?.active ?? 0] ?? chain[0];
}

/** The profile of a task, then the ones to fall back to. */
export function chainOf({ definition, route }: ProfiledTask): Chain {
  const [first, ...others] = route?.profiles ?? definition.profiles;
  return [first ?? bounded(builtInProfile(definition.model), definition), ...others];
}

type Chain = readonly [ModelProfile, ...ModelProfile[]];

interface ProfiledTask {
  readonly definition: AgentDefinition;
  readonly route?: ModelRoute | null;
}

/** Whether it has an endpoint of its own: what that says holds for nobody else, and the shared key has nothing to do with it. */
export function isOnItsOwn({ baseUrl, provider }: Pick<ModelProfile, 'baseUrl' | 'provider'>): boolean {
  return baseUrl !== null || provider === 'bedrock' || provider === 'vertex';
}

/** An answer is at most as long as both the profile and the agent allow. */
export function bounded(profile: ModelProfile, { maxOutputTokens }: AgentDefinition): ModelProfile {
  return { ...profile, maxOutputTokens: Math.min(profile.maxOutputTokens, maxOutputTokens) };
}

/** The profile that a call was made from. */
export function profileOfCall(
  task: ProfiledTask,
  { model, profile }: { readonly model: string; readonly profile: string },
): ModelProfile {
  const { helper } = task.definition;
  const all = helper === null ? chainOf(task) : [...chainOf(task), helper];
  return all.find((one) => one.name === profile && one.model === model) ?? builtInProfile(model);
}
