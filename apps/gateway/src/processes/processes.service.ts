/** Processes of a tenant's tasks. Their workers hear of what is asked over the bus, and find it in the row if they miss that. */
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  AppError,
  type OutputQuery,
  type PageQuery,
  type ProcessOutput,
  type ProcessPage,
  type ProcessView,
} from '@bullpen/contracts';
import type { Masker } from '@bullpen/core';
import type { EventBus } from '@bullpen/queue';
import {
  askOfProcess,
  findProcess,
  getTaskHead,
  keyName,
  pageOfProcesses,
  type FoundProcess,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { KeptOutput, maskedBytes, maskedPage } from '@bullpen/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import {
  EVENT_BUS,
  MASKER,
  POOL,
  PRISMA,
  SETTINGS,
  type GatewaySettings,
  type Pool,
} from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';

@Injectable()
export class ProcessesService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(SETTINGS) private readonly settings: Pick<GatewaySettings, 'BULLPEN_HOME'>,
    @Inject(MASKER) private readonly masker: Masker,
  ) {}

  async list({ tenantId }: Principal, taskId: string, query: PageQuery): Promise<ProcessPage> {
    found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    return pageOfProcesses(this.pool, taskId, query);
  }

  async get(principal: Principal, id: string): Promise<ProcessView> {
    return (await this.#own(principal, id)).process;
  }

  async output(principal: Principal, id: string, query: OutputQuery): Promise<ProcessOutput> {
    const { process, rootId } = await this.#own(principal, id);
    const kept = await KeptOutput.open(join(this.settings.BULLPEN_HOME, 'outputs', rootId, id));
    const head = { processId: id, state: process.state, encoding: query.encoding };
    if (kept === null) {
      // There is no folder before the first byte; a process that has begun to write says so within a second.
      if (process.outputBytes > 0) throw away(process);
      return { ...head, from: 0, to: 0, size: 0, leftOut: [], data: '' };
    }
    const { from, to, data } = await rangeOf(kept, query, process.state !== 'running', this.masker);
    return { ...head, from, to, size: kept.size, leftOut: [...kept.leftOut], data };
  }

  async kill(principal: Principal, id: string): Promise<ProcessView> {
    await this.#ask(principal, id, 'kill');
    return this.get(principal, id);
  }

  async toBackground(principal: Principal, id: string): Promise<ProcessView> {
    if (!(await this.#ask(principal, id, 'background')))
      throw new AppError('process_ended', `Process ${id} has ended.`, {
        nextActions: [{ action: 'process.show', processId: id }],
      });
    return this.get(principal, id);
  }

  /** False: it does not run. */
  async #ask(principal: Principal, id: string, what: 'kill' | 'background'): Promise<boolean> {
    await this.#own(principal, id);
    const by = await keyName(this.prisma, principal.keyId);
    const asked = await askOfProcess(this.pool, id, what, by);
    if (asked) this.bus.publish({ kind: 'process', tenantId: principal.tenantId, processId: id });
    return asked;
  }

  async #own({ tenantId }: Principal, id: string): Promise<FoundProcess> {
    const process = await findProcess(this.pool, { id, tenantId });
    if (process === null) throw notFound('process', id);
    return process;
  }
}

async function rangeOf(
  kept: KeptOutput,
  { from, limit, encoding }: OutputQuery,
  ended: boolean,
  masker: Masker,
) {
  if (encoding === 'text') {
    const page = await maskedPage(kept, from, limit, ended, masker);
    return { from: page.from, to: page.to, data: page.text };
  }
  const range = await maskedBytes(kept, from, limit, ended, masker);
  return { from: range.from, to: range.to, data: range.bytes.toString('base64') };
}

function away({ id, host }: ProcessView): AppError {
  return host === hostname()
    ? new AppError('output_gone', `The output of ${id} has been removed.`)
    : new AppError(
        'output_elsewhere',
        `Process ${id} belongs to the machine ${host}, and so does its output.`,
        { nextActions: [{ action: 'output.read_there', host }] },
      );
}
