/** The one filter of tasks as SQL, over `tasks t`: for lists, searches and bulk actions alike. */
import type { TaskFilter, TaskState } from '@bullpen/contracts';
import { Prisma } from '../generated/client.js';
import { tenantLexeme } from '../search/search-index.js';
import { tsqueryOf } from '../search/terms.js';

/** What the filter of a body and that of a query have in common, once they are parsed. */
export type TaskConditions = Partial<TaskFilter> & { readonly ids?: readonly string[] | undefined };

/** Conditions for the tasks of a tenant that fit; those that are not given leave no trace in the statement. */
export function taskConditions(tenantId: string, filter: TaskConditions): Prisma.Sql {
  return Prisma.join(
    [
      Prisma.sql`t.tenant_id = ${tenantId}`,
      ...when(filter.ids, (ids) => Prisma.sql`t.id = any(${[...ids]})`),
      ...when(filter.state, stateCondition),
      ...when(
        filter.waitReason,
        (reasons) => Prisma.sql`t.state = 'waiting' and t.wait_reason = any(${reasons}::wait_reason[])`,
      ),
      ...when(filter.cause, (cause) => Prisma.sql`t.stop_cause = ${cause}`),
      ...when(filter.errorClass, (name) => Prisma.sql`t.failure ->> 'errorClass' = ${name}`),
      ...when(filter.failure, (name) => Prisma.sql`t.state = 'failed' and t.failure_signature = ${name}`),
      ...when(filter.agent, (agent) => Prisma.sql`t.agent = ${agent}`),
      // The first condition lets Postgres use the index of those that have tags.
      ...when(filter.tag, (tag) => Prisma.sql`t.tags <> '{}' and t.tags @> array[${tag}]`),
      ...when(filter.rootId, (id) => Prisma.sql`t.root_id = ${id}`),
      ...when(filter.parentId, (id) => Prisma.sql`t.parent_id = ${id}`),
      ...(filter.roots === true ? [Prisma.sql`t.parent_id is null`] : []),
      ...archivedConditions(filter.archived),
      ...when(filter.createdAfter, (time) => Prisma.sql`t.created_at >= ${new Date(time)}`),
      ...when(filter.createdBefore, (time) => Prisma.sql`t.created_at < ${new Date(time)}`),
      ...when(filter.updatedAfter, (time) => Prisma.sql`t.updated_at >= ${new Date(time)}`),
      ...when(filter.endedAfter, (time) => Prisma.sql`t.ended_at >= ${new Date(time)}`),
      // Whatever ended before was made before, which is where the list can begin.
      ...when(
        filter.endedBefore,
        (time) => Prisma.sql`t.ended_at < ${new Date(time)} and t.created_at < ${new Date(time)}`,
      ),
      ...when(
        filter.q,
        // An array, so that each task that is found is looked up, whatever the statistics say of words.
        (words) =>
          Prisma.sql`t.id = any(array(select distinct task_id from search_texts where ${foundBy(tenantId, words)}))`,
      ),
    ],
    ' and ',
  );
}

/** One state by itself: so an index gives them in the order of the list. */
function stateCondition(states: readonly TaskState[]): Prisma.Sql {
  const [first, ...others] = states;
  return others.length === 0
    ? Prisma.sql`t.state = ${first}::task_state`
    : Prisma.sql`t.state = any(${[...states]}::task_state[])`;
}

function when<T>(value: T | undefined, condition: (value: T) => Prisma.Sql): Prisma.Sql[] {
  return value === undefined ? [] : [condition(value)];
}

function archivedConditions(which: TaskConditions['archived']): Prisma.Sql[] {
  if (which === 'no') return [Prisma.sql`t.archived_at is null`];
  return which === 'only' ? [Prisma.sql`t.archived_at is not null`] : [];
}

/** The texts of a tenant in which all words are; words without a letter or a digit are in none. */
export function foundBy(tenantId: string, words: string): Prisma.Sql {
  const query = tsqueryOf(words);
  if (query === null) return Prisma.sql`false`;
  return Prisma.sql`lexemes @@ ${`'${tenantLexeme(tenantId)}' & ${query}`}::tsquery`;
}
