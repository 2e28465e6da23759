/** Makes a `Tool` of the core from a zod schema and a function, so that each tool file holds only what is specific to it. */
import { z } from 'zod';
import type { Json, JsonSchema, ToolGroup } from '@bullpen/contracts';
import type { CallFacts, ParsedArguments, ResumePolicy, Tool, ToolContext, ToolOutcome } from '@bullpen/core';

export interface ToolSpec<Input extends z.ZodType> {
  readonly name: string;
  /** Written for a model: what it does, its limits, nothing else. */
  readonly description: string;
  readonly group: ToolGroup;
  readonly resume: ResumePolicy;
  /** For tools that run programs: what holds them. */
  readonly sandbox?: string;
  /** Arguments; every field described. Use `z.strictObject`, so that a misspelt field is an error. */
  readonly input: Input;
  /** Looks at what a call would touch; changes nothing. Without it the tool touches nothing outside its task. */
  inspect?(args: z.output<Input>, context: ToolContext): Promise<CallFacts>;
  /** What would change, as a unified diff for people; made only when somebody is asked. */
  preview?(args: z.output<Input>, context: ToolContext): Promise<string | undefined>;
  run(args: z.output<Input>, context: ToolContext, signal: AbortSignal): Promise<ToolOutcome>;
}

/** The tool. Its `parse` gives the arguments with defaults filled in, or issues that name field and expectation. */
export function defineTool<Input extends z.ZodType>(spec: ToolSpec<Input>): Tool {
  const { inspect, preview } = spec;
  return {
    name: spec.name,
    description: spec.description,
    group: spec.group,
    resume: spec.resume,
    ...(spec.sandbox !== undefined && { sandbox: spec.sandbox }),
    inputSchema: jsonSchemaOf(spec.input),
    parse: (input) => parseArguments(spec.input, input),
    ...(inspect && { inspect: async (args, context) => inspect(spec.input.parse(args), context) }),
    ...(preview && { preview: async (args, context) => preview(spec.input.parse(args), context) }),
    run: async (args, context, signal) => spec.run(spec.input.parse(args), context, signal),
  };
}

/** An error result. The text must say what went wrong and how to fix it. */
export function failure(output: string): ToolOutcome {
  return { kind: 'result', output, isError: true };
}

export function success(output: string): ToolOutcome {
  return { kind: 'result', output };
}

function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  // As input: fields with a default are optional for the model.
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input' });
  return jsonSchema as JsonSchema;
}

function parseArguments(schema: z.ZodType, input: Json): ParsedArguments {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data as Json };
  return { ok: false, issues: parsed.error.issues.map((issue) => describeIssue(issue, schema)) };
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys') {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return `${issue.keys.join(', ')}: not a parameter of this tool, which takes ${known.join(', ')}`;
  }
  const field = issue.path.length === 0 ? 'arguments' : issue.path.map(String).join('.');
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  const text = missing
    ? `is missing; expected ${issue.expected}`
    : issue.message.replace(/^Invalid input: /, '');
  return `${field}: ${text}`;
}
