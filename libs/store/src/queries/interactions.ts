/** Interactions: what waits for a person, and what was answered. */
import {
  type InteractionState,
  type InteractionPage,
  type InteractionView,
  type ListInteractions,
} from '@bullpen/contracts';
import type { z } from 'zod';
import type { Interaction, Prisma, PrismaClient, Task } from '../generated/client.js';
import { columnOf, JsonObject } from '../database/json-column.js';
import { beyondKey, decodeCursor, encodeCursor, filterFingerprint, toPage } from './page-cursor.js';

const WITH_TASK = { task: { select: { title: true, agent: true } } } as const;
type Row = Interaction & { readonly task: Pick<Task, 'title' | 'agent'> };

/** One interaction; null when the tenant has none with this id. */
export async function getInteraction(
  prisma: PrismaClient,
  tenantId: string,
  id: string,
): Promise<InteractionView | null> {
  const row = await prisma.interaction.findFirst({ where: { id, tenantId }, include: WITH_TASK });
  return row === null ? null : viewOf(row);
}

/** Interactions that fit the filter; pending ones come oldest first, because they have waited longest, the rest newest first. */
export async function listInteractions(
  prisma: PrismaClient,
  tenantId: string,
  query: ListInteractions,
): Promise<InteractionPage> {
  const { limit, after, ...filter } = query;
  const fingerprint = filterFingerprint({ list: 'interactions', ...filter });
  const order = filter.state === 'pending' ? 'asc' : 'desc';
  const rows = await prisma.interaction.findMany({
    where: {
      AND: [
        whereOf(tenantId, filter),
        after === undefined ? {} : beyondKey(decodeCursor(fingerprint, after), order),
      ],
    },
    include: WITH_TASK,
    orderBy: [{ createdAt: order }, { id: order }],
    take: limit + 1,
  });
  return toPage(rows, limit, viewOf, (row) => encodeCursor(fingerprint, [row.createdAt.getTime(), row.id]));
}

function whereOf(
  tenantId: string,
  { state, kind, taskId, rootId }: Omit<ListInteractions, 'limit' | 'after'>,
): Prisma.InteractionWhereInput {
  return {
    tenantId,
    ...STATES[state],
    ...(kind !== undefined && { kind }),
    ...(taskId !== undefined && { taskId }),
    ...(rootId !== undefined && { rootId }),
  };
}

const STATES: Readonly<Record<InteractionState, Prisma.InteractionWhereInput>> = {
  pending: { answeredAt: null, withdrawnAt: null },
  answered: { answeredAt: { not: null }, answeredBy: { not: 'expiry' } },
  expired: { answeredBy: 'expiry' },
  withdrawn: { answeredAt: null, withdrawnAt: { not: null } },
};

function viewOf(row: Row): InteractionView {
  const column = <T>(schema: z.ZodType<T>, name: 'payload' | 'answer') =>
    columnOf(schema, row[name], { table: 'interactions', id: row.id, column: name });
  return {
    id: row.id,
    kind: row.kind,
    state: stateOf(row),
    title: row.title,
    taskId: row.taskId,
    rootId: row.rootId,
    taskTitle: row.task.title,
    agent: row.task.agent,
    callId: row.toolCallId,
    payload: column(JsonObject, 'payload'),
    hash: row.argumentsHash ?? '',
    answer: column(JsonObject.nullable(), 'answer'),
    answeredBy: row.answeredBy,
    answeredAt: row.answeredAt?.toISOString() ?? null,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}

function stateOf({ answeredAt, answeredBy, withdrawnAt }: Row): InteractionState {
  if (answeredAt !== null) return answeredBy === 'expiry' ? 'expired' : 'answered';
  return withdrawnAt === null ? 'pending' : 'withdrawn';
}
