/** Which profile a task's requests are made from. */
import type { AgentDefinition, ModelProfile } from '@bullpen/contracts';
import { builtInProfile } from './model-facts.js';

/**
 * The profile of a task's next request. Every size is measured against this one: its window, and the room that it keeps for an
 * answer.
 */
export function profileOf({ definition }: { readonly definition: AgentDefinition }): ModelProfile {
  return definition.profiles[0] ?? bounded(builtInProfile(definition.model), definition);
}

/** An answer is at most as long as both the profile and the agent allow. */
export function bounded(profile: ModelProfile, { maxOutputTokens }: AgentDefinition): ModelProfile {
  return { ...profile, maxOutputTokens: Math.min(profile.maxOutputTokens, maxOutputTokens) };
}

/** The profile that a call was made from. */
export function profileOfCall(
  task: { readonly definition: AgentDefinition },
  { model }: { readonly model: string },
): ModelProfile {
  return task.definition.profiles.find((one) => one.model === model) ?? builtInProfile(model);
}
