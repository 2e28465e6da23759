/** The step of a run that is not committed yet: pieces are added to it until everything is stored together. */
import type { Step, TaskPatch } from '../ports/store.js';

export type Draft = { -readonly [K in keyof Step]: Step[K] extends readonly (infer E)[] ? E[] : Step[K] };

/** Pieces of a step; lists are appended, the patch is merged, money is added. */
export type Recording = Partial<Omit<Step, 'end'>>;

/** A step that changes nothing. */
export const emptyStep = (): Draft => ({
  messages: [],
  events: [],
  modelCalls: [],
  toolCalls: [],
  usage: [],
  children: [],
  checkpoints: [],
  setups: [],
  interactions: [],
  withdrawn: [],
  patch: {},
  consumedInbox: [],
  dropFrom: null,
  transition: null,
  reserveNanoUsd: 0n,
  releaseNanoUsd: 0n,
  end: null,
});

/** The list with the item in the place of the one with its id, or at its end. */
export function upsert<T extends { readonly id: string }>(list: readonly T[], item: T): T[] {
  const at = list.findIndex((other) => other.id === item.id);
  return at < 0 ? [...list, item] : list.with(at, item);
}

/** What a patch really changes. */
export function definedOnly(patch: TaskPatch): TaskPatch {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}

/** Adds pieces to a draft. */
export function merge(draft: Draft, pieces: Recording): void {
  draft.messages.push(...(pieces.messages ?? []));
  draft.events.push(...(pieces.events ?? []));
  for (const call of pieces.modelCalls ?? []) draft.modelCalls = upsert(draft.modelCalls, call);
  for (const call of pieces.toolCalls ?? []) draft.toolCalls = upsert(draft.toolCalls, call);
  draft.usage.push(...(pieces.usage ?? []));
  draft.children.push(...(pieces.children ?? []));
  draft.checkpoints.push(...(pieces.checkpoints ?? []));
  draft.setups.push(...(pieces.setups ?? []));
  draft.interactions.push(...(pieces.interactions ?? []));
  draft.withdrawn.push(...(pieces.withdrawn ?? []));
  draft.consumedInbox.push(...(pieces.consumedInbox ?? []));
  draft.dropFrom = pieces.dropFrom ?? draft.dropFrom;
  draft.transition = pieces.transition ?? draft.transition;
  draft.patch = { ...draft.patch, ...definedOnly(pieces.patch ?? {}) };
  draft.reserveNanoUsd += pieces.reserveNanoUsd ?? 0n;
  draft.releaseNanoUsd += pieces.releaseNanoUsd ?? 0n;
}

/** Both, one after the other. */
export function joined(first: Draft, second: Draft): Draft {
  const all = copyOf(first);
  merge(all, second);
  return all;
}

/** A copy whose lists can grow without touching the original's; the elements are immutable values. */
export function copyOf(draft: Draft): Draft {
  return {
    ...draft,
    messages: [...draft.messages],
    events: [...draft.events],
    modelCalls: [...draft.modelCalls],
    toolCalls: [...draft.toolCalls],
    usage: [...draft.usage],
    children: [...draft.children],
    checkpoints: [...draft.checkpoints],
    setups: [...draft.setups],
    interactions: [...draft.interactions],
    withdrawn: [...draft.withdrawn],
    consumedInbox: [...draft.consumedInbox],
  };
}

/** Whether there is anything in it that has to be stored. */
export function hasContent(draft: Draft): boolean {
  return (
    draft.messages.length +
      draft.events.length +
      draft.modelCalls.length +
      draft.toolCalls.length +
      draft.usage.length >
      0 ||
    draft.children.length + draft.consumedInbox.length + draft.interactions.length + draft.withdrawn.length >
      0
  );
}
