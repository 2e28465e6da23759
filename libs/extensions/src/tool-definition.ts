/** A tool that people wrote, checked and made into one of the core. */
import { errorText } from '@bullpen/contracts';
import {
  defineTool,
  failure,
  schemaOf,
  success,
  type CallFacts,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '@bullpen/core';
import type { Judgement, RunContext, ToolContext as NarrowContext, ToolDefinition } from '@bullpen/sdk';
import { resolveForReading, resolveForWriting, type Resolution } from '@bullpen/workspace';
import { z } from 'zod';

type Given = ToolDefinition<z.ZodObject>;

function code<Code>() {
  return z.custom<Code>((value) => typeof value === 'function', 'must be a function');
}

const Definition = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,63}$/,
      'must be lower-case letters, digits and underscores, starting with a letter',
    ),
  description: z.string().trim().min(1, 'must not be empty').max(10_000),
  // The other groups belong to the harness: their tools end tasks, ask people and start subtasks.
  group: z.enum(['read', 'write', 'execute', 'browser', 'mcp']).default('mcp'),
  input: z.custom<z.ZodObject>(
    (value) => value instanceof z.ZodObject,
    'must be an object of zod: z.strictObject({ … })',
  ),
  resume: z.enum(['repeat', 'report']).default('report'),
  polls: z.boolean().default(false),
  asides: z.array(z.string()).max(100).default([]),
  judge: code<NonNullable<Given['judge']>>().optional(),
  preview: code<NonNullable<Given['preview']>>().optional(),
  run: code<Given['run']>(),
});

/** A fault in one field; null: in all of it. */
export interface FieldFault {
  readonly field: string | null;
  readonly message: string;
}

/** The tool, or everything that is wrong with the definition. Never throws. */
export function toolOf(given: unknown): { readonly tool: Tool } | { readonly faults: readonly FieldFault[] } {
  if (typeof given !== 'object' || given === null)
    return {
      faults: [
        { field: null, message: 'the default export must be a tool: export default defineTool({ … })' },
      ],
    };
  const parsed = Definition.safeParse(given);
  if (!parsed.success) return { faults: parsed.error.issues.map(faultOf) };
  try {
    schemaOf(parsed.data.input);
  } catch (error) {
    return {
      faults: [{ field: 'input', message: `input: cannot be described to a model: ${errorText(error)}` }],
    };
  }
  const { judge, preview, run, ...plain } = parsed.data;
  // Called as methods: the definition may be an object with a state of its own.
  return {
    tool: defineTool<z.ZodObject>({
      ...plain,
      ...(judge && {
        inspect: async (args, context) => factsOf(await judge.call(given, args, narrow(context))),
      }),
      ...(preview && { preview: async (args, context) => preview.call(given, args, narrow(context)) }),
      run: async (args, context, signal) => outcomeOf(await run.call(given, args, running(context, signal))),
    }),
  };
}

function faultOf(issue: z.core.$ZodIssue): FieldFault {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return {
      field: key,
      message: `${issue.keys.join(', ')}: a tool has no such field; it has ${Object.keys(Definition.shape).join(', ')}`,
    };
  }
  const field = String(issue.path[0] ?? '');
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return {
    field,
    message: `${field}: ${missing ? 'is missing' : issue.message.replace(/^Invalid (input|option): /, '')}`,
  };
}

function factsOf(judgement: Judgement): CallFacts {
  if (judgement === undefined) return {};
  const [verdict, reason] =
    'deny' in judgement ? (['deny', judgement.deny] as const) : (['ask', judgement.ask] as const);
  return { tightened: { verdict, reason, rule: 'tool' } };
}

/** Not everybody's tools are compiled. */
const Result = z.union([z.string(), z.object({ output: z.string(), isError: z.boolean().optional() })]);

function outcomeOf(given: unknown): ToolOutcome {
  const result = Result.safeParse(given);
  if (!result.success)
    return failure(
      `The tool has a fault: it gave neither a text nor { output, isError }. Its effects are unknown.`,
    );
  if (typeof result.data === 'string') return success(result.data);
  return result.data.isError === true ? failure(result.data.output) : success(result.data.output);
}

function narrow({ task, workspacePath, masker }: ToolContext): NarrowContext {
  return {
    taskId: task.id,
    workspacePath,
    readable: async (path) => absolute(await resolveForReading(workspacePath, path)),
    writable: async (path) => absolute(await resolveForWriting(workspacePath, path)),
    mask: (text) => masker.mask(text),
  };
}

function running(context: ToolContext, signal: AbortSignal): RunContext {
  return { ...narrow(context), signal, output: (text) => context.onOutput(text) };
}

function absolute(resolution: Resolution): string {
  if (resolution.ok) return resolution.place.absolute;
  // Told to the model as it is.
  throw new Error(resolution.reason);
}
