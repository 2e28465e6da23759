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
  getExportedTree,
  readEvents,
  readHistories,
  readTaskEvents,
  type OpenShare,
  type Prisma,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { MASKER, PRISMA } from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';
import { redactDeep } from './redaction.js';
import { taskMarkdown } from './task-markdown.js';

const SHOWN_PLACES = 500;

type Tree = readonly TaskView[];

@Injectable()
export class ExportsService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(MASKER) private readonly masker: Masker,
    private readonly attachments: Attachments,
  ) {}

  /** A task with everything below it as JSON, with or without its pictures and documents. Throws `not_found`. */
  async json(tenantId: string, taskId: string, withAttachments: boolean): Promise<string> {
    const document = redactDeep(await this.#whole(tenantId, taskId), this.masker);
    if (!withAttachments) return JSON.stringify(document);
    return JSON.stringify({ ...document, attachments: await this.#attachments(tenantId, document) });
  }

  /** The same to read: what was said and done, as Markdown. Throws `not_found`. */
  async text(tenantId: string, taskId: string): Promise<string> {
    const read = await readEvents(this.prisma, tenantId, await this.#tree(tenantId, taskId));
    const tasks = read.map(({ task, events }) => ({ task, events: asTheyWere(events) }));
    return taskMarkdown({ tasks: redactDeep(tasks, this.masker), exportedAt: new Date().toISOString() });
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

  /** Those that are still there; nobody can mask them. */
  async #attachments(tenantId: string, document: TaskExport): Promise<CreateAttachment[]> {
    const attachments: CreateAttachment[] = [];
    for (const sha256 of digestsIn(document)) {
      const data = await this.attachments.read(tenantId, sha256);
      if (data !== null) attachments.push({ data });
    }
    return attachments;
  }

  async #whole(tenantId: string, taskId: string): Promise<TaskExport> {
    const tasks = await readHistories(this.prisma, tenantId, await this.#tree(tenantId, taskId));
    return {
      ...{ format: 'bullpen-task', version: 1, exportedAt: new Date().toISOString() },
      ...{ rootId: taskId, tasks: tasks.map((task) => ({ ...task, events: asTheyWere(task.events) })) },
    };
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
function asTheyWere(events: TaskEvent[]): TaskEvent[] {
  if (!events.some(({ imported }) => imported)) return events;
  return events.flatMap(({ imported, ...event }) => (imported ? [event] : []));
}
