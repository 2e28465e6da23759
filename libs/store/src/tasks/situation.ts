/** What a stored task was submitted as, and its current autonomy: the input of the core's rules about both. */
import { AgentDefinition, Autonomy } from '@bullpen/contracts';
import type { Situation } from '@bullpen/core';
import type { PoolClient } from 'pg';
import { columnOf } from '../database/json-column.js';

/** The stored definition of a task. */
export function definitionOf(id: string, stored: unknown): AgentDefinition {
  return columnOf(AgentDefinition, stored, { table: 'tasks', id, column: 'definition' });
}

/** For a task that is locked, and so exists. */
export async function situationOf(client: PoolClient, taskId: string): Promise<Situation> {
  const { rows } = await client.query<{ definition: unknown; autonomy: string | null }>(
    'SELECT definition, autonomy FROM tasks WHERE id = $1',
    [taskId],
  );
  const definition = definitionOf(taskId, rows[0]?.definition);
  return { definition, autonomy: Autonomy.parse(rows[0]?.autonomy ?? definition.autonomy) };
}
