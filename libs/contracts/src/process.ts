/** Commands of agents as processes: what runs, how it ended, what it wrote. */
import { z } from 'zod';

/**
 * `exited`: by itself, with an exit code or by a signal of its own. `killed`: somebody or something ended it, which `cause` names.
 * `lost`: its worker is gone or no longer has the task, and it was ended with it.
 */
export const ProcessState = z.enum(['running', 'exited', 'killed', 'timed_out', 'lost']);
export type ProcessState = z.infer<typeof ProcessState>;

export const ProcessView = z
  .object({
    id: z.string(),
    taskId: z.string(),
    callId: z.string().describe('The tool call that started it, or the setup of the workspace.'),
    command: z.string().describe('The command line; a long one is cut.'),
    background: z.boolean(),
    state: ProcessState,
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    cause: z.string().nullable().describe('Why it ended, where its exit code does not say it.'),
    limitMs: z.int().describe('How long it may run.'),
    outputBytes: z.int().describe('While it runs, as of its last report.'),
    workerId: z.string(),
    host: z.string().describe('The machine that it runs on, which also has its output.'),
    startedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Process' });
export type ProcessView = z.infer<typeof ProcessView>;

export const ProcessPage = z
  .object({ data: z.array(ProcessView), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'ProcessPage' });
export type ProcessPage = z.infer<typeof ProcessPage>;

/** Most bytes of output that one request gives. */
const MAX_OUTPUT_BYTES = 1_048_576;

export const OutputQuery = z
  .strictObject({
    from: z.coerce
      .number()
      .int()
      .min(-1e12)
      .max(1e12)
      .default(0)
      .describe('The first byte; below 0, counted from the end.'),
    limit: z.coerce.number().int().min(1).max(MAX_OUTPUT_BYTES).default(65_536).describe('Bytes at most.'),
    encoding: z
      .enum(['text', 'base64'])
      .default('text')
      .describe('As text, bytes that are no text are escaped (\\xe9) and no character is split.'),
  })
  .meta({ id: 'OutputQuery' });
export type OutputQuery = z.infer<typeof OutputQuery>;

export const ProcessOutput = z
  .object({
    processId: z.string(),
    state: ProcessState,
    from: z.int().describe('Place of the first byte in `data`.'),
    to: z.int().describe('Place after the last one: where to read on.'),
    size: z.int().describe('Bytes written so far.'),
    leftOut: z
      .array(z.object({ from: z.int(), to: z.int() }))
      .describe('What was not kept, because there was too much of it.'),
    encoding: z.enum(['text', 'base64']),
    data: z.string(),
  })
  .meta({ id: 'ProcessOutput' });
export type ProcessOutput = z.infer<typeof ProcessOutput>;
