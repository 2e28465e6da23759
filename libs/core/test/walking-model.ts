/** A model that does in each work mode what a plan says, whichever worker asks: it reads where it is from the newest note of its mode. */
import type { Json } from '@bullpen/contracts';
import { TalkingModel } from './talking-model.js';

export interface PlannedCall {
  readonly name: string;
  readonly input: Json;
}

/** The calls of a mode, one a turn; `visit` counts how often it has been entered. Without any left, the model answers in words. */
export type ModePlan = Readonly<Record<string, (visit: number) => readonly PlannedCall[]>>;

const HEAD = /^Mode: (\w+) \(step \d+\)/;

export function walkingModel(plan: ModePlan): TalkingModel {
  return new TalkingModel(({ messages }) => {
    const heads = messages.map(({ role, content }) =>
      role === 'user'
        ? content.flatMap((block) => (block.type === 'text' ? (HEAD.exec(block.text)?.[1] ?? []) : [])).at(-1)
        : undefined,
    );
    const at = heads.findLastIndex((head) => head !== undefined);
    const mode = heads[at] ?? '';
    const visit = heads.filter((head) => head === mode).length;
    const done = messages.slice(at).filter(({ role }) => role === 'assistant').length;
    const next = plan[mode]?.(visit)[done];
    const id = `toolu_${messages.filter(({ role }) => role === 'assistant').length}`;
    return next === undefined ? { text: 'Done.' } : { toolCalls: [{ id, ...next }] };
  });
}

export const fires = (trigger: string, reason = `${trigger} is so.`): PlannedCall => ({
  name: 'signal',
  input: { trigger, reason },
});
