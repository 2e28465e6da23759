/** Work modes: what kind of work a task is doing, and which trigger leads from one to the next. Autonomy is something else. */
import { z } from 'zod';
import { ToolGroup } from './policy.js';
import { readableText } from './text.js';

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
export const ModeAsks = z.enum(['nothing', 'changes', 'everything']).meta({ id: 'ModeAsks' });
export type ModeAsks = z.infer<typeof ModeAsks>;

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

/** How a task works: `free`, with all tools that its autonomy allows; or `fsm`, always in one of the work modes. */
export const Workflow = z.enum(['free', 'fsm']).meta({ id: 'Workflow' });
export type Workflow = z.infer<typeof Workflow>;

/** The modes that a task runs with, as they were when it was submitted. `asks` null: each mode asks as it says itself. */
export const WorkMachine = z
  .strictObject({ modes: z.array(ModeDefinition).min(1), asks: ModeAsks.nullable() })
  .meta({ id: 'WorkMachine' });
export type WorkMachine = z.infer<typeof WorkMachine>;

/** Who fired a trigger: the agent, a person or client, the words of the user, or the harness. */
const TransitionSource = z.enum(['agent', 'person', 'intent', 'harness']);

/** One try to get from a mode to another. Rows are only ever added; `seq` counts them without gaps. */
export const TransitionRow = z
  .object({
    seq: z.int().min(1),
    at: z.iso.datetime(),
    from: ModeName,
    trigger: z.string(),
    to: ModeName.nullable().describe('Null: it was refused, and the mode stayed.'),
    source: TransitionSource,
    by: z.string().nullable().describe('The person, where one fired it.'),
    reason: z.string().nullable().describe('As it was given with the trigger.'),
    outcome: z.enum(['moved', 'refused']),
    refusal: z.string().nullable(),
    possible: z.array(z.string()).describe('Of a refusal: the triggers that would have led somewhere.'),
  })
  .meta({ id: 'TransitionRow' });
export type TransitionRow = z.infer<typeof TransitionRow>;

/** The answer of `GET /v1/tasks/{id}/transitions`: where a task may go from here, and how it came here. */
export const TransitionsView = z
  .object({
    taskId: z.string(),
    workflow: Workflow,
    mode: ModeName.nullable().describe('Null: a free task.'),
    possible: z.array(
      z.object({
        trigger: z.string(),
        to: ModeName,
        priority: z.int(),
        when: ModeCondition.nullable(),
        means: z.string(),
      }),
    ),
    impossible: z
      .array(z.object({ trigger: z.string(), to: ModeName, why: z.string() }))
      .describe('Ways out of the mode whose condition is not met.'),
    history: z.array(TransitionRow).describe('Oldest first.'),
  })
  .meta({ id: 'Transitions' });
export type TransitionsView = z.infer<typeof TransitionsView>;

/** Body of `POST /v1/tasks/{id}/transitions`. */
export const FireTrigger = z
  .strictObject({
    trigger: TriggerName,
    reason: readableText(1_000).optional().describe('Why; the agent reads it.'),
    ifSeq: z
      .int()
      .min(0)
      .optional()
      .describe('Only while the newest row of the history has this number; 0: there is none.'),
  })
  .meta({ id: 'FireTrigger' });
export type FireTrigger = z.infer<typeof FireTrigger>;

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
