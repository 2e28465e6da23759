/** An agent as a Markdown file: what it is in front matter, its system prompt below. */
import {
  AgentDefinition,
  ApprovalLevel,
  ApprovalSettings,
  AskPolicy,
  DEFAULT_ASKS,
  DEFAULT_RETRY,
  Limits,
  PolicyRules,
  RetryPolicy,
  type JsonSchema,
} from '@bullpen/contracts';
import { ALL_APPROVALS, APPROVAL_LEVELS, DEFAULT_LIMITS } from '@bullpen/core';
import { z } from 'zod';
import { parseFrontMatter, type FrontMatter } from './front-matter.js';
import type { Flaw } from './problem.js';
import { flawsOf, meant } from './schema-flaws.js';

const { name, description, model, profile, helperProfile, maxOutputTokens, tools, autonomy } =
  AgentDefinition.shape;
const { inputSchema, outputSchema } = AgentDefinition.shape;

/** Only name and description have to be there. */
const AgentFile = z.strictObject({
  name,
  // Whatever way the text is written in YAML, it is the same text.
  description: z
    .string()
    .transform((text) => text.trim())
    .pipe(description),
  // Without one: the installation's default model.
  model: z.union([model, z.literal('')]).default(''),
  profile,
  helperProfile,
  maxOutputTokens: maxOutputTokens.default(16_000),
  tools: tools.default([]),
  autonomy: autonomy.default('background'),
  conversation: z.boolean().default(false),
  approvals: changing(ApprovalSettings.partial().prefault({}), ALL_APPROVALS),
  rules: PolicyRules.prefault({}),
  asks: changing(AskPolicy.partial().prefault({}), DEFAULT_ASKS),
  condense: z.boolean().default(true),
  limits: changing(Limits.partial().prefault({}), DEFAULT_LIMITS),
  retry: changing(RetryPolicy.partial().prefault({}), DEFAULT_RETRY),
  inputSchema: inputSchema.default(null),
  outputSchema: outputSchema.default(null),
});

/** The same where `approvals` is the name of a level. */
const AgentFileWithLevel = AgentFile.extend({
  approvals: ApprovalLevel.transform((level) => APPROVAL_LEVELS[level]),
});

/** Some settings of a kind, over the usual ones. */
function changing<T extends object>(some: z.ZodType<Partial<T>>, usual: T) {
  return some.transform((given): T => ({ ...usual, ...given }));
}

/** What is known from elsewhere. */
export interface AgentFileContext {
  /** All tools of the installation; null: not checked. */
  readonly toolNames: readonly string[] | null;
  /** What is wrong with a JSON Schema itself; empty when it can be used. */
  readonly schemaIssues: (schema: JsonSchema) => readonly string[];
  /** Settings that this file must not have, because it belongs to a workspace. @defaultValue none */
  readonly refused?: readonly string[];
}

export type ParsedAgent =
  { readonly definition: AgentDefinition; readonly nameLine: number } | { readonly flaws: readonly Flaw[] };

/** The complete definition, or everything that is wrong with the file. Pure. */
export function parseAgentFile(text: string, context: AgentFileContext): ParsedAgent {
  const front = parseFrontMatter(text);
  if ('flaws' in front) return front;
  const hasLevel = typeof front.data['approvals'] === 'string';
  const parsed = (hasLevel ? AgentFileWithLevel : AgentFile).safeParse(front.data);
  if (!parsed.success)
    return { flaws: parsed.error.issues.flatMap((issue) => flawsOf(issue, front, AgentFile)) };
  const definition: AgentDefinition = {
    ...parsed.data,
    ...{ profiles: [], helper: null, file: null, workspaceAgents: [], keepBodies: false },
    systemPrompt: front.body,
  };
  const flaws = [
    ...bodyFlaws(front),
    ...refusedFlaws(front, context.refused ?? []),
    ...toolFlaws(definition, front, context),
    ...schemaFlaws(definition, front, context),
  ];
  return flaws.length > 0 ? { flaws } : { definition, nameLine: front.lineOf(['name']) };
}

function refusedFlaws({ data, lineOf }: FrontMatter, refused: readonly string[]): Flaw[] {
  return refused
    .filter((key) => key in data)
    .map((key) => ({
      line: lineOf([key]),
      message: `${key}: is for whoever starts the task to choose, not for an agent of a workspace`,
    }));
}

function bodyFlaws({ body, lineOf }: FrontMatter): Flaw[] {
  if (body === '')
    return [{ line: null, message: 'has no text below the front matter: that text is the system prompt' }];
  const fits = AgentDefinition.shape.systemPrompt.safeParse(body).success;
  return fits
    ? []
    : [{ line: lineOf([]), message: 'the text below the front matter is longer than 100,000 characters' }];
}

function toolFlaws(
  { tools }: AgentDefinition,
  { lineOf }: FrontMatter,
  { toolNames }: AgentFileContext,
): Flaw[] {
  return tools.flatMap((tool, at) => {
    const line = lineOf(['tools', at]);
    if (tools.indexOf(tool) !== at) return [{ line, message: `tools: ${tool} is listed twice` }];
    if (toolNames === null || toolNames.includes(tool)) return [];
    return [{ line, message: `tools: there is no tool ${tool}${meant(tool, toolNames)}` }];
  });
}

function schemaFlaws(
  definition: AgentDefinition,
  { lineOf }: FrontMatter,
  context: AgentFileContext,
): Flaw[] {
  return (['inputSchema', 'outputSchema'] as const).flatMap((key) => {
    const schema = definition[key];
    if (schema === null) return [];
    return context
      .schemaIssues(schema)
      .map((issue) => ({ line: lineOf([key]), message: `${key}: ${issue}` }));
  });
}
