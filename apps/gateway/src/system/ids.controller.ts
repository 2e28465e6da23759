/** Ids by a piece of them: routes take whole ids only, and this is how a client gets one from what a person types. */
import { FindIds, FoundIds } from '@bullpen/contracts';
import { findIds, type Principal, type Prisma } from '@bullpen/store';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { PRISMA } from '../http/tokens.js';

@ApiTags('system')
@Controller('v1/ids')
export class IdsController {
  constructor(@Inject(PRISMA) private readonly prisma: Prisma) {}

  @Get()
  @ApiRoute({
    summary: 'Find ids by their beginning or end',
    description: 'Newest first, ten at most. All other routes need the whole id.',
    answer: FoundIds,
  })
  findIds(
    @CurrentPrincipal() { tenantId }: Principal,
    @Query({ schema: FindIds }) query: FindIds,
  ): Promise<FoundIds> {
    return findIds(this.prisma, tenantId, query);
  }
}
