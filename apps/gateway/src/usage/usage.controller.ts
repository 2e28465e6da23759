/** What everything cost. */
import { UsageQuery, UsageReport } from '@bullpen/contracts';
import { getUsageReport, type Principal, type Prisma } from '@bullpen/store';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, requireScope } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { PRISMA } from '../http/tokens.js';

@ApiTags('usage')
@Controller('v1/usage')
export class UsageController {
  constructor(@Inject(PRISMA) private readonly prisma: Prisma) {}

  @Get()
  @ApiRoute({
    summary: 'Tokens and cost by day, model, agent, tenant or tag, and what came of it',
    description:
      'Days are those of UTC. What a model without a known price cost is not in the sums: `unpricedCalls` says how many calls that were.',
    answer: UsageReport,
  })
  async getUsage(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: UsageQuery }) query: UsageQuery,
  ): Promise<UsageReport> {
    const everybody = query.allTenants === 'true';
    if (everybody) requireScope(principal, 'admin');
    return getUsageReport(this.prisma, everybody ? null : principal.tenantId, query);
  }
}
