/** What everything cost. */
import { UsageQuery, UsageReport } from '@bullpen/contracts';
import { getUsageReport, type Principal, type Prisma } from '@bullpen/store';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { PRISMA } from '../http/tokens.js';

@ApiTags('usage')
@Controller('v1/usage')
export class UsageController {
  constructor(@Inject(PRISMA) private readonly prisma: Prisma) {}

  @Get()
  @ApiRoute({ summary: 'Tokens and cost by day, model or agent', answer: UsageReport })
  getUsage(
    @CurrentPrincipal() { tenantId }: Principal,
    @Query({ schema: UsageQuery }) query: UsageQuery,
  ): Promise<UsageReport> {
    return getUsageReport(this.prisma, tenantId, query);
  }
}
