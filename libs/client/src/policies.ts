/** Calls about the approval policy. */
import {
  PolicyList,
  PolicyTestResult,
  PolicyView,
  type CommandVerdictView,
  type PolicyScope,
  type PutPolicyInput,
  type TestPolicyInput,
} from '@bullpen/contracts';
import type { CallOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class PoliciesClient {
  constructor(private readonly transport: Transport) {}

  /** All layers that were written. */
  async list(options: CallOptions = {}): Promise<PolicyView[]> {
    return (
      await this.transport.call({ method: 'GET', path: '/v1/policies', answer: PolicyList, ...options })
    ).data;
  }

  /** One layer; `key` is a folder for a project, a root's id for a task. */
  get(scope: PolicyScope, key = '', options: CallOptions = {}): Promise<PolicyView> {
    return this.one('GET', scope, key, options);
  }

  /** Writes a whole layer in place of the revision that was read. */
  put(scope: PolicyScope, key: string, body: PutPolicyInput, options: CallOptions = {}): Promise<PolicyView> {
    return this.one('PUT', scope, key, { ...options, body });
  }

  /** Takes a layer away; gives what it was. */
  remove(scope: PolicyScope, key = '', options: CallOptions = {}): Promise<PolicyView> {
    return this.one('DELETE', scope, key, options);
  }

  /** What the policy says about command lines; nothing runs. */
  async test(body: TestPolicyInput, options: CallOptions = {}): Promise<CommandVerdictView[]> {
    const path = '/v1/policies/test';
    return (await this.transport.call({ method: 'POST', path, body, answer: PolicyTestResult, ...options }))
      .data;
  }

  private one(
    method: 'GET' | 'PUT' | 'DELETE',
    scope: PolicyScope,
    key: string,
    options: CallOptions & { readonly body?: PutPolicyInput },
  ): Promise<PolicyView> {
    const query = key === '' ? {} : { key };
    return this.transport.call({
      method,
      path: `/v1/policies/${scope}`,
      query,
      answer: PolicyView,
      ...options,
    });
  }
}
