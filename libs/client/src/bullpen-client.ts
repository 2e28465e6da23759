/** The whole API as a type, and the two parts that it comes in: a page can load what few screens need when they need it. */
import type {
  AgentView,
  CreateAttachment,
  FindIds,
  FoundIds,
  LiveDelta,
  LoginLink,
  Media,
  ModeView,
  ModeSuggestion,
  PageQuery,
  ProviderKeyView,
  Readiness,
  SuggestMode,
  SystemInfo,
  TaskEvent,
  UsageQuery,
  UsageReport,
  WorkspacePage,
} from '@bullpen/contracts';
import type { BulkActionsClient } from './bulk.js';
import type { CheckpointsClient } from './checkpoints.js';
import type { StreamOptions } from './event-stream.js';
import type { IdentityClient } from './identity.js';
import type { InteractionsClient } from './interactions.js';
import type { PoliciesClient } from './policies.js';
import type { ProcessesClient } from './processes.js';
import type { QueuesClient, WorkersClient } from './queues.js';
import type { SharesClient } from './shares.js';
import type { CallOptions, ChangeOptions, TasksClient } from './tasks.js';
import type { TenantsClient } from './tenants.js';
import type { ViewsClient } from './views.js';
import type { WebhooksClient } from './webhooks.js';

/** The whole API, as one object named like it. */
export interface BullpenClient {
  readonly tasks: TasksClient;
  readonly attachments: {
    /** Keeps a picture or a PDF, given as base64; a context item of a task names it by its `sha256`. */
    create(body: CreateAttachment, options?: ChangeOptions): Promise<Media>;
  };
  readonly processes: ProcessesClient;
  readonly checkpoints: CheckpointsClient;
  readonly workspaces: {
    /** A page of all workspaces, newest first, with what all of them take. */
    list(query?: Partial<PageQuery>, options?: CallOptions): Promise<WorkspacePage>;
  };
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
  readonly modes: {
    /** The work modes with their rules, in the order of their phases. */
    list(options?: CallOptions): Promise<ModeView[]>;
    /** Which mode a text asks for. Decided by rules; nothing changes. */
    suggest(body: SuggestMode, options?: CallOptions): Promise<ModeSuggestion>;
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

/** What every screen of a dashboard asks for. */
export type FirstPart = Pick<BullpenClient, 'tasks' | 'interactions' | 'agents' | 'system' | 'events'>;
/** The rest. */
export type SecondPart = Omit<BullpenClient, keyof FirstPart>;
