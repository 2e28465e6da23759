/** Calls about who asks, the keys of the tenant, and the models that there are. */
import {
  ApiKeyList,
  Deleted,
  Identity,
  ModelList,
  TenantKey,
  type ApiKeyView,
  type CreateTenantKeyInput,
  type ModelChoice,
} from '@bullpen/contracts';
import type { CallOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class IdentityClient {
  constructor(private readonly transport: Transport) {}

  /** What the key in use may do, and the clock of the server. */
  me(options: CallOptions = {}): Promise<Identity> {
    return this.transport.call({ method: 'GET', path: '/v1/me', answer: Identity, ...options });
  }

  /** Ends the session of this browser. */
  async signOut(options: CallOptions = {}): Promise<void> {
    const path = '/v1/sessions/current';
    await this.transport.call({ method: 'DELETE', path, answer: Deleted, ...options });
  }

  /** The keys of your tenant; needs the scope `admin`, as all about keys. */
  async keys(options: CallOptions = {}): Promise<ApiKeyView[]> {
    return (
      await this.transport.call({ method: 'GET', path: '/v1/api-keys', answer: ApiKeyList, ...options })
    ).data;
  }

  /** Makes a key for your tenant; it is shown this once. */
  createKey(body: CreateTenantKeyInput = {}, options: CallOptions = {}): Promise<TenantKey> {
    return this.transport.call({ method: 'POST', path: '/v1/api-keys', body, answer: TenantKey, ...options });
  }

  /** The key stops working at once. */
  async revokeKey(id: string, options: CallOptions = {}): Promise<void> {
    const path = `/v1/api-keys/${encodeURIComponent(id)}`;
    await this.transport.call({ method: 'DELETE', path, answer: Deleted, ...options });
  }

  /** Models that tasks can be given, with their prices. */
  async models(options: CallOptions = {}): Promise<ModelChoice[]> {
    return (await this.transport.call({ method: 'GET', path: '/v1/models', answer: ModelList, ...options }))
      .data;
  }
}
