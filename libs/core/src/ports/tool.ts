/** Port: a tool that an agent may call. */
import type {
  Autonomy,
  InteractionAnswer,
  InteractionKind,
  Json,
  JsonSchema,
  PolicyRules,
  TodoItem,
  ToolGroup,
} from '@bullpen/contracts';
import type { Masker } from '../masking/masker.js';
import type { ChildOutcome, ChildSpec, ChildWorkspace, TaskRecord, WaitSpec } from '../task/task.js';

/** `media`: contents of pictures and PDFs, shown to models that can see; `output` says what they are, for all others. */
export interface ToolResult {
  readonly kind: 'result';
  readonly output: string;
  readonly isError?: boolean;
  readonly media?: readonly Uint8Array[];
  /** Of the program that it ran to its end; null: that had none. Missing: it ran nothing, or did not wait for the end. */
  readonly exitCode?: number | null;
}

/** The outcome of a tool. Each becomes exactly one `tool_result`; for `wait`, after the task was woken. */
export type ToolOutcome =
  | ToolResult
  /** `workspace`: null leaves it to the harness. */
  | { readonly kind: 'spawn'; readonly child: ChildSpec; readonly workspace: ChildWorkspace | null }
  | { readonly kind: 'wait'; readonly wait: WaitSpec }
  | { readonly kind: 'todos'; readonly todos: readonly TodoItem[]; readonly output: string }
  | { readonly kind: 'switch'; readonly autonomy: Autonomy; readonly output: string }
  /** A trigger of the work mode; the harness finds out where it leads. */
  | { readonly kind: 'signal'; readonly trigger: string; readonly reason: string }
  | { readonly kind: 'complete' };

/** What happens to a call that a crash cut off: run again, or tell the model that its effects are unknown. */
export type ResumePolicy = 'repeat' | 'report';

/** What a running tool may use. */
export interface ToolContext {
  /** As the run knows it at this moment. */
  readonly task: TaskRecord;
  readonly callId: string;
  /** Of the lease that the call runs under. */
  readonly epoch: number;
  /** Absolute path of the workspace. */
  readonly workspacePath: string;
  /** What a command may reach and change while it runs, by the policy as the run last saw it. */
  readonly policy: Pick<PolicyRules, 'files' | 'network'>;
  /** Reports live output; best effort, never throws. `skipped`: characters before it that are not shown live. */
  readonly onOutput: (text: string, skipped?: number) => void;
  /** For parts of longer texts: whole values are masked in every result, but only the tool knows where a cut may have left a part of one. */
  readonly masker: Masker;
  /** Outcomes of child tasks of this task, by id; an id that is no child of this task is missing from the answer. */
  readonly children: (ids: readonly string[]) => Promise<readonly ChildOutcome[]>;
  /** What a person answered, for tools that ask one; null: there is nobody to answer. */
  readonly answer?: InteractionAnswer | null;
  /** The full text of an earlier output of this task; null when there is none. */
  readonly storedOutput: (callId: string) => Promise<string | null>;
}

/** What a tool wants to know from a person before it can give its result. */
export interface Ask {
  readonly kind: InteractionKind;
  readonly title: string;
  readonly payload: Readonly<Record<string, Json>>;
}

/** Where a path leads, links followed. `protected`: changed only with a person's approval; `hidden`: agents do not see it. */
export type PathPlace = 'inside' | 'protected' | 'hidden' | 'outside';

/** A path that a call would open, as the call itself would resolve it. `path` is relative to the workspace where it is inside. */
export interface TouchedPath {
  readonly path: string;
  readonly access: 'read' | 'write';
  readonly place: PathPlace;
}

/** What a call with these arguments would do, found out without doing it. The policy decides by it, and a person is shown it. */
export interface CallFacts {
  readonly paths?: readonly TouchedPath[];
  /** A line for the shell, which the command policy judges. Null: the call runs nothing. */
  readonly command?: string | null;
  /** Folder in which the line starts, relative to the workspace. @defaultValue the workspace */
  readonly cwd?: string;
  /** The tool's own judgement of these arguments; it can only tighten what the settings say. */
  readonly tightened?: { readonly verdict: 'ask' | 'deny'; readonly rule: string; readonly reason: string };
}

/**
 * A call whose arguments have been checked: all that can be done with it needs no arguments any more. Contract for implementers: `run`
 * honours the signal promptly; a throw becomes an error result for the model, never a crash.
 */
export interface BoundCall {
  /** As the call will run, defaults filled in: this is what is approved, shown and compared. */
  readonly args: Json;
  /** Finds out what the call would touch; must not change anything. A call without it touches nothing outside its task. */
  inspect?(context: ToolContext): Promise<CallFacts>;
  /**
   * What would change, as a unified diff for the person who is asked; undefined if there is none. Must not change anything either.
   */
  preview?(context: ToolContext): Promise<string | undefined>;
  /** For tools whose result is a person's answer: what is asked. They run once there is an answer, or when there is nobody to ask. */
  asks?(): Ask;
  run(context: ToolContext, signal: AbortSignal): Promise<ToolOutcome>;
}

/** Issues name the field and what is expected of it. */
export type ParsedCall =
  | { readonly ok: true; readonly call: BoundCall }
  | { readonly ok: false; readonly issues: readonly string[] };

/** Made by `defineTool` out of a schema and functions, whoever the tool comes from. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly group: ToolGroup;
  readonly inputSchema: JsonSchema;
  readonly resume: ResumePolicy;
  /** For tools that run programs: what holds them (`bubblewrap`, `docker`, `podman`), or `none`. */
  readonly sandbox?: string;
  /** Longest result that the model is sent at once, in characters; the rest is stored. @defaultValue OUTPUT_CAP */
  readonly outputCap?: number;
  /** Repeating the same call is its purpose: it never counts as a loop. @defaultValue false */
  readonly polls?: boolean;
  /** Arguments that only comment on a call: two calls that differ in nothing else are the same call. @defaultValue none */
  readonly asides?: readonly string[];
  /** Its calls touch nothing, wait for nothing and ask nobody: what comes of them is rows of the step. @defaultValue false */
  readonly isPure?: boolean;
  parse(input: Json): ParsedCall;
}
