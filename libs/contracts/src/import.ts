/** What is taken of an exported task. Columns and indexes are narrower than what is shown, and whoever writes a document is a stranger. */
import { z } from 'zod';
import { AgentName } from './agent.js';
import { ForkCheckpoint } from './checkpoint.js';
import { Usd } from './json.js';
import { ApiMessageView } from './message.js';
import { ExportedTask, TaskExport } from './share.js';
import { TaskView } from './task.js';
import { ToolCallView } from './tool-call.js';
import { UsageTotals } from './usage.js';
import { WorkspaceSpec } from './workspace.js';

/** The largest document that can be imported, in bytes. */
export const MAX_IMPORT_BYTES = 20 * 1024 * 1024;

const count = z.int().min(0).max(2_147_483_647);
const name = z.string().min(1).max(200);

/** Masks may be longer than what they hide: texts may be longer here than when they were given. */
const ImportedView = TaskView.omit({ tree: true }).extend({
  title: z.string().min(1).max(1_000),
  agent: AgentName,
  model: name,
  prompt: z.string().max(1_000_000),
  tags: z.array(z.string().min(1).max(200)).max(20),
  metadata: z.record(z.string().max(200), z.string().max(4_000)),
  usage: UsageTotals.extend({ costUsd: Usd }),
});

const ImportedMessage = ApiMessageView.extend({
  turn: count,
  content: ApiMessageView.shape.content.min(1),
  // Exports from before there were any lack it. What was sent to a model elsewhere is sent to none here.
  reduction: ApiMessageView.shape.reduction.default(null),
});

const ImportedCall = ToolCallView.extend({
  turn: count,
  position: count,
  toolUseId: name,
  tool: name,
  state: ToolCallView.shape.state.exclude(['generating']),
});

/** Body of `POST /v1/tasks/import`: a `TaskExport`. */
export const ImportTask = TaskExport.extend({
  format: z.literal('bullpen-task', { error: 'must be "bullpen-task": this is no exported task' }),
  version: z.literal(1, { error: 'must be 1: no other version of exported tasks is known here' }),
  tasks: z
    .array(
      ExportedTask.extend({
        task: ImportedView,
        messages: z.array(ImportedMessage),
        toolCalls: z.array(ImportedCall),
      }),
    )
    .min(1)
    .max(1_000),
}).meta({ id: 'ImportTask' });
export type ImportTask = z.infer<typeof ImportTask>;

/** Body of `POST /v1/tasks/{id}/fork`. */
export const ForkTask = ForkCheckpoint.extend({
  workspace: WorkspaceSpec.optional().describe(
    'Files for the fork of an imported task, which has none; by default an empty folder.',
  ),
}).meta({ id: 'ForkTask' });
export type ForkTask = z.infer<typeof ForkTask>;
