/** What all ways of making a task have in common. */
import type { AgentDefinition, TaskWorkspace, WorkspaceSpec } from '@bullpen/contracts';
import {
  completeWithin,
  findForkSource,
  type ForkSource,
  type IdempotencyClaim,
  type KeyedAnswer,
  type Within,
} from '@bullpen/store';
import { notFound } from '../http/problem.js';
import type { Pool } from '../http/tokens.js';

/** The workspace as it is stored: of a fork it says what the work began with. Throws `not_found` for a checkpoint that the tenant has not. */
export async function storedWorkspace(
  pool: Pool,
  tenantId: string,
  spec: WorkspaceSpec,
): Promise<TaskWorkspace> {
  if (spec.kind !== 'fork') return spec;
  const { origin } = await sourceOf(pool, tenantId, spec.checkpointId);
  return { ...spec, history: false, origin };
}

export interface Fork {
  /** The task that took the checkpoint. */
  readonly taskId: string;
  readonly definition: AgentDefinition;
  readonly workspace: Extract<TaskWorkspace, { kind: 'fork' }>;
}

/** A fork of a checkpoint with the conversation up to it, and with the same setup. Throws `not_found`. */
export async function forkOf(pool: Pool, tenantId: string, checkpointId: string): Promise<Fork> {
  const { taskId, definition, origin, setup } = await sourceOf(pool, tenantId, checkpointId);
  return { taskId, definition, workspace: { kind: 'fork', checkpointId, setup, history: true, origin } };
}

async function sourceOf(pool: Pool, tenantId: string, checkpointId: string): Promise<ForkSource> {
  const source = await findForkSource(pool, tenantId, checkpointId);
  if (source === null) throw notFound('checkpoint', checkpointId);
  return source;
}

/** What is stored with the new task: a crash before the answer does not make a repeated request a second task. */
export function keyedAnswer(claim: IdempotencyClaim | undefined, taskId: string): KeyedAnswer | undefined {
  const response = { committedTaskId: taskId };
  return claim && { claim, answer: { status: 201, location: `/v1/tasks/${taskId}`, response } };
}

/** The same for a transaction that stores more than a new task. */
export function keyedBy(idempotency: IdempotencyClaim | undefined, taskId: string): Within | undefined {
  const keyed = keyedAnswer(idempotency, taskId);
  return keyed && ((client) => completeWithin(client, keyed.claim, keyed.answer));
}
