/** Work modes: what kind of work a task is doing, and which trigger leads from one to the next. Autonomy is something else. */
import { z } from 'zod';
import { ToolGroup } from './policy.js';

const NAME = /^[a-z][a-z0-9_]{0,39}$/;
const NAME_TEXT = 'must be lower-case letters, digits and underscores, starting with a letter';

export const ModeName = z.string().regex(NAME, NAME_TEXT);
const TriggerName = z.string().regex(NAME, NAME_TEXT);

/** What a rule may depend on: facts of the task's records, never the model's word. */
export const ModeCondition = z.enum(['large_change', 'has_pending_changes', 'has_errors', 'tests_passed']);
export type ModeCondition = z.infer<typeof ModeCondition>;

/** One way out of a mode. */
export const ModeRule = z
  .strictObject({
    on: TriggerName,
    to: ModeName,
    priority: z
      .int()
      .min(1)
      .max(10)
      .default(9)
      .describe('The highest one wins; on a tie, the rule listed first.'),
    when: ModeCondition.nullable().default(null).describe('Null: always.'),
    means: z.string().min(1).max(300).describe('What the trigger claims, for whoever fires it.'),
  })
  .meta({ id: 'ModeRule' });
export type ModeRule = z.infer<typeof ModeRule>;

/** What a mode asks a person for: nothing, changes that it makes, or everything that it does. */
const ModeAsks = z.enum(['nothing', 'changes', 'everything']);

/** A mode, complete. */
export const ModeDefinition = z
  .strictObject({
    name: ModeName,
    phase: z.int().min(0).max(3).nullable().describe('Null: a mode of the installation.'),
    description: z.string().min(1).max(200),
    groups: z.array(ToolGroup).describe('Groups of tools on offer, besides questions, to-dos and signals.'),
    asks: ModeAsks,
    rules: z.array(ModeRule).max(50),
    prompt: z.string().min(1).max(10_000),
  })
  .meta({ id: 'ModeDefinition' });
export type ModeDefinition = z.infer<typeof ModeDefinition>;

/** All modes, in the order of their phases. */
export const ModeList = z.object({ data: z.array(ModeDefinition) }).meta({ id: 'ModeList' });
export type ModeList = z.infer<typeof ModeList>;

export const SuggestMode = z
  .strictObject({
    text: z.string().min(1).max(100_000).describe('What a person wrote.'),
    current: ModeName.optional().describe('The mode that the task is in: "go on" means it.'),
  })
  .meta({ id: 'SuggestMode' });
export type SuggestMode = z.infer<typeof SuggestMode>;

/** The mode that a text seems to ask for. */
export const ModeSuggestion = z
  .object({
    mode: ModeName,
    confidence: z.number().min(0).max(1),
    isSure: z.boolean().describe('False: ask the person before you act on it.'),
    reason: z.string().describe('Which words led to it.'),
    others: z.array(z.object({ mode: ModeName, confidence: z.number().min(0).max(1) })),
  })
  .meta({ id: 'ModeSuggestion' });
export type ModeSuggestion = z.infer<typeof ModeSuggestion>;
