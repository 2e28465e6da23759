/** The client: one object, named like the API. */
import {
  AgentList,
  FoundIds,
  LoginLink,
  ProviderKeyList,
  ProviderKeyView,
  Readiness,
  SystemInfo,
  UsageReport,
  type AgentView,
  type FindIds,
  type LiveDelta,
  type TaskEvent,
  type UsageQuery,
} from '@bullpen/contracts';
import { BulkActionsClient } from './bulk.js';
import { CheckpointsClient } from './checkpoints.js';
import { streamEvents, type StreamOptions } from './event-stream.js';
import { IdentityClient } from './identity.js';
import { InteractionsClient } from './interactions.js';
import { PoliciesClient } from './policies.js';
import { ProcessesClient } from './processes.js';
import { QueuesClient, WorkersClient } from './queues.js';
import { SharesClient } from './shares.js';
import { TasksClient, type CallOptions, type ChangeOptions } from './tasks.js';
import { TenantsClient } from './tenants.js';
import { Transport, type TransportOptions } from './transport.js';
import { ViewsClient } from './views.js';
import { WebhooksClient } from './webhooks.js';

/** The whole API, as one object named like it. */
export interface BullpenClient {
  readonly tasks: TasksClient;
  readonly processes: ProcessesClient;
  readonly checkpoints: CheckpointsClient;
  readonly interactions: InteractionsClient;
  readonly tenants: TenantsClient;
  readonly webhooks: WebhooksClient;
  readonly policies: PoliciesClient;
  readonly bulkActions: BulkActionsClient;
  readonly shares: SharesClient;
  readonly views: ViewsClient;
  readonly queues: QueuesClient;
  readonly workers: WorkersClient;
  readonly identity: IdentityClient;
  readonly agents: { list(options?: CallOptions): Promise<AgentView[]> };
  readonly usage: { report(query?: Partial<UsageQuery>, options?: CallOptions): Promise<UsageReport> };
  readonly system: {
    info(options?: CallOptions): Promise<SystemInfo>;
    /** Whether the gateway can do its work; does not throw when it cannot. Needs no key. */
    ready(options?: CallOptions): Promise<Readiness>;
  };
  readonly providers: {
    /** Provider keys and how they stand. */
    list(options?: CallOptions): Promise<ProviderKeyView[]>;
    /** Uses a key again, and lets the tasks that wait for it go on. */
    resume(id: string, options?: ChangeOptions): Promise<ProviderKeyView>;
  };
  readonly events: {
    /** Events of all tasks, from now or after a cursor; never ends by itself. */
    stream(options?: StreamOptions): AsyncGenerator<TaskEvent | LiveDelta, void, undefined>;
  };
  readonly ids: {
    /** Whole ids from a piece of one. */
    find(query: FindIds, options?: CallOptions): Promise<FoundIds>;
  };
  readonly loginLinks: {
    /** A link that signs a browser in, once, within five minutes. */
    create(options?: CallOptions): Promise<LoginLink>;
  };
}

/** A client for one gateway. Makes no request by itself. */
export function createClient(options: TransportOptions): BullpenClient {
  const transport = new Transport(options);
  return {
    tasks: new TasksClient(transport),
    processes: new ProcessesClient(transport),
    checkpoints: new CheckpointsClient(transport),
    interactions: new InteractionsClient(transport),
    tenants: new TenantsClient(transport),
    webhooks: new WebhooksClient(transport),
    policies: new PoliciesClient(transport),
    bulkActions: new BulkActionsClient(transport),
    shares: new SharesClient(transport),
    views: new ViewsClient(transport),
    queues: new QueuesClient(transport),
    workers: new WorkersClient(transport),
    identity: new IdentityClient(transport),
    agents: {
      list: async (call = {}) =>
        (await transport.call({ method: 'GET', path: '/v1/agents', answer: AgentList, ...call })).data,
    },
    usage: {
      report: (query = {}, call = {}) =>
        transport.call({ method: 'GET', path: '/v1/usage', query, answer: UsageReport, ...call }),
    },
    system: {
      info: (call = {}) => transport.call({ method: 'GET', path: '/v1/system', answer: SystemInfo, ...call }),
      ready: (call = {}) =>
        transport.call({ method: 'GET', path: '/readyz', answer: Readiness, alsoAnswers: 503, ...call }),
    },
    providers: {
      list: async (call = {}) =>
        (await transport.call({ method: 'GET', path: '/v1/providers', answer: ProviderKeyList, ...call }))
          .data,
      resume: (id, call = {}) =>
        transport.call({
          method: 'POST',
          path: `/v1/providers/${encodeURIComponent(id)}/resume`,
          body: {},
          answer: ProviderKeyView,
          ...call,
        }),
    },
    events: {
      stream: (stream = {}) => streamEvents(transport, { path: '/v1/stream', of: 'tenant' }, stream),
    },
    ids: {
      find: (query, call = {}) =>
        transport.call({ method: 'GET', path: '/v1/ids', query, answer: FoundIds, ...call }),
    },
    loginLinks: {
      create: (call = {}) =>
        transport.call({ method: 'POST', path: '/v1/login-links', answer: LoginLink, ...call }),
    },
  };
}
