/** The approval policy: its layers, and what it says about a command line. */
import {
  AppError,
  PolicyKeyQuery,
  PolicyList,
  PolicyScope,
  PolicyTestResult,
  PolicyView,
  PutPolicy,
  TestPolicy,
} from '@bullpen/contracts';
import { preview } from '@bullpen/core';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, NeedsScope } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { PoliciesService } from './policies.service.js';

const WITH_BODY = ['invalid_json', 'body_too_large', 'unsupported_media_type'] as const;

@ApiTags('policies')
@Controller('v1/policies')
export class PoliciesController {
  constructor(private readonly policies: PoliciesService) {}

  @Get()
  @ApiRoute({ summary: 'All policy layers that were written', answer: PolicyList })
  async listPolicies(@CurrentPrincipal() principal: Principal): Promise<PolicyList> {
    return { data: await this.policies.list(principal) };
  }

  @Post('test')
  @NeedsScope('read')
  @ApiRoute({
    summary: 'What the policy says about command lines',
    description:
      'Nothing runs. Paths are judged by their text. Uses `settings` if they are given, otherwise the layers of the tenant.',
    answer: PolicyTestResult,
    problems: WITH_BODY,
  })
  async testPolicy(
    @CurrentPrincipal() principal: Principal,
    @Body({ schema: TestPolicy }) body: TestPolicy,
  ): Promise<PolicyTestResult> {
    return { data: await this.policies.test(principal, body) };
  }

  @Get(':scope')
  @ApiRoute({ summary: 'One policy layer', answer: PolicyView, problems: ['not_found'] })
  getPolicy(
    @CurrentPrincipal() principal: Principal,
    @Param('scope') scope: string,
    @Query({ schema: PolicyKeyQuery }) { key }: PolicyKeyQuery,
  ): Promise<PolicyView> {
    return this.policies.get(principal, scopeOf(scope), key);
  }

  @Put(':scope')
  @ApiRoute({
    summary: 'Write a policy layer',
    description:
      'Replaces the revision that was read; 0 if there was none. Applies from the next decision of each task. ' +
      'The layers of installation and projects need the scope `admin`.',
    answer: PolicyView,
    problems: ['not_found', 'revision_conflict', ...WITH_BODY],
  })
  putPolicy(
    @CurrentPrincipal() principal: Principal,
    @Param('scope') scope: string,
    @Query({ schema: PolicyKeyQuery }) { key }: PolicyKeyQuery,
    @Body({ schema: PutPolicy }) body: PutPolicy,
  ): Promise<PolicyView> {
    return this.policies.put(principal, scopeOf(scope), key, body);
  }

  @Delete(':scope')
  @ApiRoute({
    summary: 'Delete a policy layer',
    description: 'Returns the layer as it was.',
    answer: PolicyView,
    problems: ['not_found'],
  })
  deletePolicy(
    @CurrentPrincipal() principal: Principal,
    @Param('scope') scope: string,
    @Query({ schema: PolicyKeyQuery }) { key }: PolicyKeyQuery,
  ): Promise<PolicyView> {
    return this.policies.remove(principal, scopeOf(scope), key);
  }
}

function scopeOf(text: string): PolicyScope {
  const scope = PolicyScope.safeParse(text);
  if (scope.success) return scope.data;
  const known = PolicyScope.options.join(', ');
  throw new AppError('not_found', `The policy has no scope "${preview(text, 40)}". Scopes: ${known}.`);
}
