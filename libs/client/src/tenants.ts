/** Calls about tenants; they need a key with the scope `admin`. */
import {
  TenantKey,
  TenantList,
  TenantView,
  type CreateTenantInput,
  type CreateTenantKeyInput,
  type UpdateTenant,
} from '@bullpen/contracts';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class TenantsClient {
  constructor(private readonly transport: Transport) {}

  async list(options: CallOptions = {}): Promise<TenantView[]> {
    return (await this.transport.call({ method: 'GET', path: '/v1/tenants', answer: TenantList, ...options }))
      .data;
  }

  create(body: CreateTenantInput, options: ChangeOptions = {}): Promise<TenantView> {
    return this.transport.call({ method: 'POST', path: '/v1/tenants', body, answer: TenantView, ...options });
  }

  /** Changes what is given. */
  update(id: string, body: UpdateTenant, options: CallOptions = {}): Promise<TenantView> {
    const path = `/v1/tenants/${encodeURIComponent(id)}`;
    return this.transport.call({ method: 'PATCH', path, body, answer: TenantView, ...options });
  }

  /** Makes a key; it is shown this once. */
  createKey(id: string, body: CreateTenantKeyInput = {}, options: CallOptions = {}): Promise<TenantKey> {
    const path = `/v1/tenants/${encodeURIComponent(id)}/keys`;
    return this.transport.call({ method: 'POST', path, body, answer: TenantKey, ...options });
  }
}
