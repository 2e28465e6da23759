/** Layers of the policy: who may change which, and what a command line would get under them. */
import {
  AppError,
  type CommandVerdictView,
  type PolicyScope,
  type PolicyView,
  type PutPolicy,
  type TestPolicy,
} from '@bullpen/contracts';
import { policyForTrial, textOnly, tryCommand } from '@bullpen/command-policy';
import { policyOfLayers, type EffectivePolicy } from '@bullpen/core';
import {
  getTask,
  keyName,
  type PolicyLayerStore,
  type PolicyPlace,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { projectKey } from '@bullpen/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../http/problem.js';
import { POLICY_LAYERS, PRISMA } from '../http/tokens.js';

@Injectable()
export class PoliciesService {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(POLICY_LAYERS) private readonly policies: PolicyLayerStore,
  ) {}

  list({ tenantId }: Principal): Promise<PolicyView[]> {
    return this.policies.list(tenantId);
  }

  async get(principal: Principal, scope: PolicyScope, key: string): Promise<PolicyView> {
    const place = await this.place(principal, scope, key);
    return present(await this.policies.get(place), place);
  }

  /** Writes a whole layer; throws `revision_conflict` when it is not the one that was read. */
  async put(principal: Principal, scope: PolicyScope, key: string, body: PutPolicy): Promise<PolicyView> {
    checkMayChange(principal, scope);
    const place = await this.place(principal, scope, key);
    const by = await keyName(this.prisma, principal.keyId);
    const written = await this.policies.put(place, body.layer, body.revision, by);
    if (written !== null) return written;
    const now = await this.policies.get(place);
    const detail = now === null ? 'it is gone' : `it is at revision ${now.revision}`;
    throw new AppError(
      'revision_conflict',
      `The policy of ${nameOf(place)} has changed since it was read: ${detail}.`,
    );
  }

  async remove(principal: Principal, scope: PolicyScope, key: string): Promise<PolicyView> {
    checkMayChange(principal, scope);
    const place = await this.place(principal, scope, key);
    return present(await this.policies.remove(place), place);
  }

  /** The verdict on each command line, in their order. */
  async test(principal: Principal, body: TestPolicy): Promise<CommandVerdictView[]> {
    const policy = await this.policyOf(principal, body);
    const lines = typeof body.commands === 'string' ? [body.commands] : body.commands;
    return lines.map((line) => tryCommand(line, policy, textOnly(body.boxed)));
  }

  private async policyOf({ tenantId }: Principal, body: TestPolicy): Promise<EffectivePolicy> {
    if (body.settings !== undefined) return policyForTrial(body.settings);
    const key = body.project === undefined ? null : await projectKey(body.project);
    return policyOfLayers(await this.policies.around(tenantId, key, null));
  }

  /** The layer that is meant. Throws when the key is none of its scope. */
  private async place(principal: Principal, scope: PolicyScope, key: string): Promise<PolicyPlace> {
    const { tenantId } = principal;
    switch (scope) {
      case 'installation':
        if (key !== '') throw badKey('The installation has only one layer; leave the key out.');
        return { tenantId, scope, key };
      case 'project':
        if (!key.startsWith('/')) throw badKey('The key of a project is the absolute path of its folder.');
        return { tenantId, scope, key: await projectKey(key) };
      case 'task': {
        const task = key === '' ? null : await getTask(this.prisma, tenantId, key);
        if (task === null) throw notFound('task', key);
        if (task.rootId !== task.id)
          throw badKey(`The layer of a tree is kept under its root: ${task.rootId}.`);
        return { tenantId, scope, key };
      }
    }
  }
}

/** What holds for everybody is for who runs the installation; what holds for one tree is for who works with it. */
function checkMayChange({ scopes }: Principal, scope: PolicyScope): void {
  if (scope === 'task' || scopes.includes('admin')) return;
  throw new AppError('forbidden', `Changing the policy of the ${scope} needs a key with the scope admin.`, {
    nextActions: [{ action: 'key.use_scope', scope: 'admin' }],
  });
}

function present(policy: PolicyView | null, place: PolicyPlace): PolicyView {
  if (policy === null) throw notFound('policy', nameOf(place));
  return policy;
}

function nameOf({ scope, key }: PolicyPlace): string {
  return key === '' ? `the ${scope}` : `${scope} ${key}`;
}

function badKey(detail: string): AppError {
  return new AppError('invalid_request', detail, { details: { errors: [{ pointer: '/key', detail }] } });
}
