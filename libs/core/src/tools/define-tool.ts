/** Makes a `Tool` from a schema and functions over typed arguments, so that a tool's file holds only what is specific to it. */
import type { Json, JsonSchema, ToolGroup } from '@bullpen/contracts';
import type { z } from 'zod';
import type {
  Ask,
  BoundCall,
  CallFacts,
  ParsedCall,
  ResumePolicy,
  Tool,
  ToolContext,
  ToolOutcome,
} from '../ports/tool.js';
import { parseWith, schemaOf } from '../task/arguments.js';

/** What there is to say about a tool. `Args` are its arguments as its schema gives them. */
export interface ToolSpec<Input extends z.ZodType, Args = z.output<Input>> {
  readonly name: string;
  /** Written for a model: what it does, its limits, nothing else. */
  readonly description: string;
  readonly group: ToolGroup;
  readonly resume: ResumePolicy;
  /** Arguments; every field described. Use `z.strictObject`, so that a misspelt field is an error. */
  readonly input: Input;
  /** Shown to the model in place of the schema of `input`. */
  readonly inputSchema?: JsonSchema;
  readonly sandbox?: string;
  readonly outputCap?: number;
  readonly polls?: boolean;
  readonly asides?: readonly (keyof Args & string)[];
  readonly isPure?: boolean;
  /** What is wrong with arguments that fit the schema, as texts that name the field; empty when nothing is. */
  check?(args: Args): readonly string[];
  /** The dynamic part of the policy: what a call would touch, and whether these arguments must be asked about. Changes nothing. */
  inspect?(args: Args, context: ToolContext): Promise<CallFacts>;
  /** What would change, as a unified diff for people; made only when somebody is asked. */
  preview?(args: Args, context: ToolContext): Promise<string | undefined>;
  /** For a tool whose result is a person's answer: what is asked. */
  asks?(args: Args): Ask;
  run(args: Args, context: ToolContext, signal: AbortSignal): ToolOutcome | Promise<ToolOutcome>;
}

/** The tool. Its `parse` gives a call with defaults filled in, or issues that name field and expectation. */
export function defineTool<Input extends z.ZodType>(spec: ToolSpec<Input>): Tool {
  const { name, description, group, resume, sandbox, outputCap, polls, asides, isPure } = spec;
  return {
    ...{ name, description, group, resume },
    inputSchema: spec.inputSchema ?? schemaOf(spec.input),
    ...(sandbox !== undefined && { sandbox }),
    ...(outputCap !== undefined && { outputCap }),
    ...(polls !== undefined && { polls }),
    ...(asides !== undefined && { asides }),
    ...(isPure !== undefined && { isPure }),
    parse: (input) => parse(spec, input),
  };
}

function parse<Input extends z.ZodType>(spec: ToolSpec<Input>, input: Json): ParsedCall {
  const parsed = parseWith(spec.input, input);
  if (!parsed.ok) return parsed;
  const issues = spec.check?.(parsed.value) ?? [];
  return issues.length === 0 ? { ok: true, call: bind(spec, parsed.value) } : { ok: false, issues };
}

function bind<Input extends z.ZodType>(spec: ToolSpec<Input>, args: z.output<Input>): BoundCall {
  const { inspect, preview, asks } = spec;
  return {
    args: args as Json,
    ...(inspect && { inspect: (context) => inspect(args, context) }),
    ...(preview && { preview: (context) => preview(args, context) }),
    ...(asks && { asks: () => asks(args) }),
    run: async (context, signal) => spec.run(args, context, signal),
  };
}

/** An error result. The text must say what went wrong and how to fix it. */
export function failure(output: string): ToolOutcome {
  return { kind: 'result', output, isError: true };
}

/** A result. */
export function success(output: string): ToolOutcome {
  return { kind: 'result', output };
}
