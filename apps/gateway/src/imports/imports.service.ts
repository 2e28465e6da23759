/** Exported tasks of other tenants and installations become readable ones of this tenant: history that runs nothing and costs nothing here. */
import { setImmediate } from 'node:timers/promises';
import type { ImportTask, TaskView } from '@bullpen/contracts';
import { mediaFacts, type Masker } from '@bullpen/core';
import {
  Attachments,
  getTask,
  keyName,
  type IdempotencyClaim,
  type Principal,
  type Prisma,
  type TaskCommands,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { contentOfBase64 } from '../attachments/base64.js';
import { invalidRequest } from '../http/problem.js';
import { MASKER, PRISMA, TASK_COMMANDS } from '../http/tokens.js';
import { redactDeep } from '../shares/redaction.js';
import type { FieldError } from '../http/text-check.js';
import { keyedBy } from '../tasks/new-task.js';
import { found } from '../tasks/tasks.service.js';
import { importFaults } from './import-checks.js';
import { withNewIds } from './new-ids.js';

/** Rows that are masked before others have their turn. */
const SLICE = 200;

/** Contents that no task could refer to. */
function contentFaults(contents: readonly (Buffer | null)[]): FieldError[] {
  return contents.flatMap((content, at) =>
    content !== null && mediaFacts(content) !== null
      ? []
      : [{ pointer: `/attachments/${at}/data`, detail: 'is the base64 of no PNG, JPEG, GIF, WebP or PDF' }],
  );
}

@Injectable()
export class ImportsService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    @Inject(MASKER) private readonly masker: Masker,
    private readonly attachments: Attachments,
  ) {}

  /** Stores the document as an ended tree of the caller's tenant, all of it or nothing. Throws `invalid_request` with the places of what is wrong. */
  async import(
    { tenantId, keyId }: Principal,
    document: ImportTask,
    idempotency?: IdempotencyClaim,
  ): Promise<TaskView> {
    const { attachments = [] } = document;
    const contents = attachments.map(({ data }) => contentOfBase64(data));
    const faults = [...importFaults(document), ...contentFaults(contents)];
    if (faults.length > 0) throw invalidRequest(faults, 'The document');
    for (const content of contents) if (content !== null) await this.attachments.keep(tenantId, content);
    // Whoever wrote it may not have masked it.
    const { value, became } = withNewIds(await this.#masked(document.tasks));
    const tasks = value.map((part, at) => ({ ...part, from: document.tasks[at]?.task.id ?? '' }));
    const rootId = became.get(document.rootId) ?? '';
    const by = await keyName(this.prisma, keyId);
    const { exportedAt } = document;
    await this.commands.import({ tenantId, by, exportedAt, tasks }, keyedBy(idempotency, rootId));
    return found(await getTask(this.prisma, tenantId, rootId), rootId);
  }

  /** A piece at a time: streams and the requests of others go on meanwhile. */
  async #masked(tasks: ImportTask['tasks']): Promise<ImportTask['tasks']> {
    const masked: ImportTask['tasks'] = [];
    for (const { events, messages, ...rest } of tasks)
      masked.push({
        ...redactDeep(rest, this.masker),
        events: await this.#maskedAll(events),
        messages: await this.#maskedAll(messages),
      });
    return masked;
  }

  async #maskedAll<T>(rows: readonly T[]): Promise<T[]> {
    const masked: T[] = [];
    for (let at = 0; at < rows.length; at += SLICE) {
      masked.push(...redactDeep(rows.slice(at, at + SLICE), this.masker));
      await setImmediate();
    }
    return masked;
  }
}
