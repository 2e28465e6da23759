/** For people who write tools for Bullpen: what a tool is, and what it may use while it runs. */
import type { z } from 'zod';

/**
 * What kind of thing a tool does, and so when it may run without asking. `read`: only looks, which is usually approved; `write`: changes
 * files; `execute`: runs programs; `browser`: opens pages; `mcp`: anything else outside, asked about until a person lists the tool.
 */
export type ToolGroup = 'read' | 'write' | 'execute' | 'browser' | 'mcp';

/** What a call may use. */
export interface ToolContext {
  readonly taskId: string;
  /** Absolute path of the folder that the task works in. */
  readonly workspacePath: string;
  /** The absolute path of a file or folder of the workspace. Throws for what is not there, leads out of it or is hidden from agents. */
  readable(path: string): Promise<string>;
  /** The same for what is to be written, which need not exist. */
  writable(path: string): Promise<string>;
  /** The text without the secret values that the installation knows. Results and live output are masked anyway. */
  mask(text: string): string;
}

/** What a running call may use in addition. */
export interface RunContext extends ToolContext {
  /** Fires when the task is cancelled or interrupted: stop at once. */
  readonly signal: AbortSignal;
  /** Shows text to whoever is watching, while the tool runs. The model sees only the result. */
  output(text: string): void;
}

/** What the model is told. A thrown error is told as well, as an error. */
export type ToolResult = string | { readonly output: string; readonly isError?: boolean };

/** A tool's own judgement of a call, with the reason that people and the model are told. It can only tighten what the policy says. */
export type Judgement = { readonly ask: string } | { readonly deny: string } | undefined;

/** A tool. Its functions get the arguments as the schema gives them: checked, defaults filled in. */
export interface ToolDefinition<Input extends z.ZodObject> {
  /** Lower-case letters, digits and underscores; no other tool has it. */
  readonly name: string;
  /** Written for the model: what the tool does, and its limits. */
  readonly description: string;
  /** @defaultValue `mcp` */
  readonly group?: ToolGroup;
  /** The arguments: a `z.strictObject`, each field described. */
  readonly input: Input;
  /** What happens to a call that a crash cut off: `repeat` when running it twice does no harm. @defaultValue `report` */
  readonly resume?: 'repeat' | 'report';
  /** Repeating the same call is its purpose, as for one that waits: it never counts as a loop. @defaultValue false */
  readonly polls?: boolean;
  /** Arguments that only comment on a call, such as a description: what they say makes no new call of it. @defaultValue none */
  readonly asides?: readonly (keyof z.output<Input> & string)[];
  /** Looks at a call before it runs, and changes nothing. */
  judge?(args: z.output<Input>, context: ToolContext): Judgement | Promise<Judgement>;
  /** What would change, as a unified diff, for a person who is asked. Changes nothing. */
  preview?(args: z.output<Input>, context: ToolContext): string | undefined | Promise<string | undefined>;
  run(args: z.output<Input>, context: RunContext): ToolResult | Promise<ToolResult>;
}

/** Gives the definition back; there for its types. A tool's file exports it as its default. */
export function defineTool<Input extends z.ZodObject>(
  definition: ToolDefinition<Input>,
): ToolDefinition<Input> {
  return definition;
}
