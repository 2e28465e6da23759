/** Tasks as outsiders may see them: whole documents, and what a link shows. Everything passes `redactDeep`. */
import type {
  CreateAttachment,
  EventPage,
  MaskedPlace,
  Media,
  SharedEventsQuery,
  SharedTree,
  SharePreview,
  TaskEvent,
  TaskExport,
  TaskView,
} from '@bullpen/contracts';
import type { Masker } from '@bullpen/core';
import {
  Attachments,
  getBriefing,
  getExportedTree,
  listApiHistory,
  listToolCalls,
  readTaskEvents,
  type OpenShare,
  type Prisma,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { MASKER, PRISMA } from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';
import { redactDeep } from './redaction.js';

const PAGE = 200;
const SHOWN_PLACES = 500;

type Tree = readonly TaskView[];

@Injectable()
export class ExportsService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(MASKER) private readonly masker: Masker,
    private readonly attachments: Attachments,
  ) {}

  /** A task with everything below it. Throws `not_found`. */
  async document(tenantId: string, taskId: string): Promise<TaskExport> {
    return redactDeep(await this.#whole(tenantId, taskId), this.masker);
  }

  /** The same with the pictures and documents that are still there, which nobody can mask. */
  async withAttachments(tenantId: string, taskId: string): Promise<TaskExport> {
    const document = await this.document(tenantId, taskId);
    const attachments: CreateAttachment[] = [];
    for (const sha256 of digestsIn(document)) {
      const data = await this.attachments.read(tenantId, sha256);
      if (data !== null) attachments.push({ data });
    }
    return { ...document, attachments };
  }

  /** What a document or a share of the task would mask. */
  async preview(tenantId: string, taskId: string): Promise<SharePreview> {
    const { tasks } = await this.#whole(tenantId, taskId);
    const places: MaskedPlace[] = [];
    for (const { task, events, messages, toolCalls } of tasks) {
      const report =
        (seq: number | null) =>
        (field: string, kind: MaskedPlace['kind'], around: string): void =>
          void places.push({ taskId: task.id, seq, field, kind, around });
      redactDeep(task, this.masker, report(null));
      for (const event of events) redactDeep(event.data, this.masker, report(event.seq));
      redactDeep({ messages, toolCalls }, this.masker, report(null));
    }
    const events = tasks.reduce((sum, one) => sum + one.events.length, 0);
    return { tasks: tasks.length, events, masked: places.length, places: places.slice(0, SHOWN_PLACES) };
  }

  /** The tasks that a link shows. */
  async shared({ tenantId, taskId, expiresAt }: OpenShare): Promise<SharedTree> {
    const tasks = (await this.#tree(tenantId, taskId)).map((task) => ({
      ...{ id: task.id, parentId: task.id === taskId ? null : task.parentId, title: task.title },
      ...{ agent: task.agent, model: task.model, state: task.state, prompt: task.prompt, usage: task.usage },
      ...{
        eventSeq: task.eventSeq,
        createdAt: task.createdAt,
        startedAt: task.startedAt,
        endedAt: task.endedAt,
      },
    }));
    const tree = { rootId: taskId, expiresAt: expiresAt.toISOString(), now: new Date().toISOString(), tasks };
    return redactDeep(tree, this.masker);
  }

  /** Events of one of them. Throws `not_found` for any other task. */
  async sharedEvents(
    share: OpenShare,
    { taskId, after = '0', limit }: SharedEventsQuery,
  ): Promise<EventPage> {
    const { tenantId } = share;
    const tree = await this.#tree(tenantId, share.taskId);
    if (!tree.some(({ id }) => id === taskId)) throw notFound('task', taskId);
    const rows = await readTaskEvents(this.prisma, { tenantId, taskId }, Number(after), limit + 1);
    const data = redactDeep(rows.slice(0, limit), this.masker);
    const hasMore = rows.length > limit;
    return { data, hasMore, nextAfter: hasMore ? String(data.at(-1)?.seq ?? 0) : null };
  }

  /** A task and what is below it, parents first. */
  async #tree(tenantId: string, taskId: string): Promise<Tree> {
    return found(await getExportedTree(this.prisma, tenantId, taskId), taskId);
  }

  async #whole(tenantId: string, taskId: string): Promise<TaskExport> {
    const tasks: TaskExport['tasks'] = [];
    // One after the other: a tree may be large, and nobody waits for a download at the cost of those who work.
    for (const task of await this.#tree(tenantId, taskId)) {
      const ref = { tenantId, taskId: task.id };
      tasks.push({
        task,
        events: asTheyWere(await this.#events(ref)),
        messages: await allOf((after) => listApiHistory(this.prisma, ref, { limit: PAGE, ...after })),
        toolCalls: await allOf((after) => listToolCalls(this.prisma, ref, { limit: PAGE, ...after })),
        ...(await getBriefing(this.prisma, ref)),
      });
    }
    return {
      ...{ format: 'bullpen-task', version: 1, exportedAt: new Date().toISOString() },
      ...{ rootId: taskId, tasks },
    };
  }

  async #events(ref: { tenantId: string; taskId: string }): Promise<TaskEvent[]> {
    const events: TaskEvent[] = [];
    for (let more = true; more;) {
      const page = await readTaskEvents(this.prisma, ref, events.at(-1)?.seq ?? 0, PAGE);
      events.push(...page);
      more = page.length === PAGE;
    }
    return events;
  }
}

/** Of the contents that a document refers to, each once. */
function digestsIn({ tasks }: TaskExport): ReadonlySet<string> {
  const found = new Set<string>();
  const keep = (media: readonly Media[] | undefined): void =>
    media?.forEach(({ sha256 }) => found.add(sha256));
  for (const { messages, toolCalls, briefing } of tasks) {
    briefing?.items.forEach(({ media }) => keep(media && [media]));
    toolCalls.forEach(({ media }) => keep(media));
    for (const { content } of messages)
      for (const block of content) {
        if (block.type === 'tool_result') keep(block.media);
        if (block.type === 'image' || block.type === 'document') keep([block.media]);
      }
  }
  return found;
}

/** Of an imported task, what was imported: its export is the document that it came from. */
function asTheyWere(events: readonly TaskEvent[]): TaskEvent[] {
  if (!events.some(({ imported }) => imported)) return [...events];
  return events.flatMap(({ imported, ...event }) => (imported ? [event] : []));
}

async function allOf<T>(
  pageAfter: (after: { after?: string }) => Promise<{ data: readonly T[]; nextCursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  let after: string | null = null;
  do {
    const page: { data: readonly T[]; nextCursor: string | null } = await pageAfter(
      after === null ? {} : { after },
    );
    all.push(...page.data);
    after = page.nextCursor;
  } while (after !== null);
  return all;
}
