/** What else the API has. */
import {
  FoundIds,
  LoginLink,
  Media,
  ModeList,
  ModeSuggestion,
  ProviderKeyList,
  ProviderKeyView,
  UsageReport,
  WorkspacePage,
} from '@bullpen/contracts';
import { BulkActionsClient } from './bulk.js';
import { CheckpointsClient } from './checkpoints.js';
import type { SecondPart } from './bullpen-client.js';
import { IdentityClient } from './identity.js';
import { PoliciesClient } from './policies.js';
import { ProcessesClient } from './processes.js';
import { QueuesClient, WorkersClient } from './queues.js';
import { SharesClient } from './shares.js';
import { TenantsClient } from './tenants.js';
import { ViewsClient } from './views.js';
import { WebhooksClient } from './webhooks.js';
import type { Transport } from './transport.js';

/** All of it, for one gateway. */
export function secondPartOf(transport: Transport): SecondPart {
  return {
    attachments: {
      create: (body, call = {}) =>
        transport.call({ method: 'POST', path: '/v1/attachments', body, answer: Media, ...call }),
    },
    processes: new ProcessesClient(transport),
    checkpoints: new CheckpointsClient(transport),
    workspaces: {
      list: (query = {}, call = {}) =>
        transport.call({ method: 'GET', path: '/v1/workspaces', query, answer: WorkspacePage, ...call }),
    },
    tenants: new TenantsClient(transport),
    webhooks: new WebhooksClient(transport),
    policies: new PoliciesClient(transport),
    bulkActions: new BulkActionsClient(transport),
    shares: new SharesClient(transport),
    views: new ViewsClient(transport),
    queues: new QueuesClient(transport),
    workers: new WorkersClient(transport),
    identity: new IdentityClient(transport),
    usage: {
      report: (query = {}, call = {}) =>
        transport.call({ method: 'GET', path: '/v1/usage', query, answer: UsageReport, ...call }),
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
    modes: {
      list: async (call = {}) =>
        (await transport.call({ method: 'GET', path: '/v1/modes', answer: ModeList, ...call })).data,
      suggest: (body, call = {}) =>
        transport.call({ method: 'POST', path: '/v1/modes/suggest', body, answer: ModeSuggestion, ...call }),
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
