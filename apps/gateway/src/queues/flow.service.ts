/** The queue and the workers for those who look and those who open, drain or pause them. */
import {
  type ChangeFlow,
  type FlowState,
  type QueueList,
  type QueueSamples,
  type QueueView,
  type SamplesQuery,
  type WorkerList,
  type WorkerView,
} from '@bullpen/contracts';
import { Announcer, type EventBus } from '@bullpen/queue';
import {
  figuresByTenant,
  figuresOf,
  Flows,
  getQueueSamples,
  keyName,
  type Principal,
  type Prisma,
  type ProviderKeys,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { requireScope } from '../auth/access.js';
import { notFound } from '../http/problem.js';
import {
  EVENT_BUS,
  GATEWAY_INFO,
  LOGGER,
  POOL,
  PRISMA,
  PROVIDER_KEYS,
  type GatewayInfo,
  type Logger,
  type Pool,
} from '../http/tokens.js';
import { QueueWatch, TASK_QUEUE_NAME } from './queue-watch.js';
import { repairText } from './repair-texts.js';

@Injectable()
export class FlowService {
  readonly #flows: Flows;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(PROVIDER_KEYS) private readonly providers: ProviderKeys,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(Announcer) private readonly announcer: Announcer,
    @Inject(GATEWAY_INFO) private readonly gateway: GatewayInfo,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly watch: QueueWatch,
  ) {
    this.#flows = new Flows(pool);
  }

  /** The one queue that there is, as this key may see it. */
  async queues(principal: Principal): Promise<QueueList> {
    return { data: [await this.queue(principal)] };
  }

  samples(principal: Principal, { window, tenantId }: SamplesQuery): Promise<QueueSamples> {
    const all = seesAll(principal);
    if (tenantId !== undefined && tenantId !== principal.tenantId) requireScope(principal, 'admin');
    const whose = tenantId ?? (all ? '' : principal.tenantId);
    return getQueueSamples(this.prisma, window, whose).then((series) => ({
      window,
      covers: whose === '' ? ('all' as const) : ('tenant' as const),
      ...series,
    }));
  }

  async workers(principal: Principal): Promise<WorkerList> {
    const { now, data } = await this.watch.workers();
    return { now, data: data.map((worker) => shownTo(principal, worker)) };
  }

  /** Throws `not_found` for another queue. */
  async changeQueue(
    principal: Principal,
    name: string,
    state: FlowState,
    { reason = null }: Partial<Record<keyof ChangeFlow, string | null>>,
  ): Promise<QueueView> {
    const by = await keyName(this.prisma, principal.keyId);
    if (!(await this.#flows.changeQueue(name, { state, by, reason }))) throw notFound('queue', name);
    this.logger.info({ state, by }, 'somebody changed whether the queue takes work');
    this.watch.changed();
    if (state !== 'paused') void this.announcer.dispatch();
    return this.queue(principal);
  }

  /** Throws `not_found` for a worker that has stopped. */
  async changeWorker(
    principal: Principal,
    id: string,
    state: FlowState,
    { reason = null }: Partial<Record<keyof ChangeFlow, string | null>>,
  ): Promise<WorkerView> {
    const by = await keyName(this.prisma, principal.keyId);
    if (!(await this.#flows.changeWorker(id, { state, by, reason }))) throw notFound('worker', id);
    this.watch.changed();
    this.bus.publish({ kind: 'worker', workerId: id });
    const worker = (await this.watch.workers()).data.find((one) => one.id === id);
    if (worker === undefined) throw notFound('worker', id);
    return shownTo(principal, worker);
  }

  private async queue(principal: Principal): Promise<QueueView> {
    const [state, keys] = await Promise.all([this.watch.state(), this.providers.list()]);
    const all = seesAll(principal);
    const { now, sampledAt, flow, slots, repairs } = state;
    return {
      name: TASK_QUEUE_NAME,
      backend: this.gateway.queueBackend,
      now: now.toISOString(),
      sampledAt: sampledAt?.toISOString() ?? null,
      flow,
      covers: all ? 'all' : 'tenant',
      total: figuresOf(state, all ? '' : principal.tenantId),
      tenants: figuresByTenant(state).filter(({ tenantId }) => all || tenantId === principal.tenantId),
      slots,
      repairs: repairs.map((repair) => ({ ...repair, text: repairText(repair.kind) })),
      providers: keys.filter(({ state: standing }) => standing !== 'open'),
    };
  }
}

function seesAll({ scopes }: Principal): boolean {
  return scopes.includes('admin');
}

/** How much a worker runs is no secret; what it runs for others is. */
function shownTo(principal: Principal, worker: WorkerView): WorkerView {
  if (seesAll(principal)) return worker;
  return { ...worker, tasks: worker.tasks.filter(({ tenantId }) => tenantId === principal.tenantId) };
}
