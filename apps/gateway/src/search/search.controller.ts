/** Search in titles, prompts and messages. */
import { SearchPage, SearchQuery } from '@bullpen/contracts';
import type { Masker } from '@bullpen/core';
import { searchTasks, type Principal, type Prisma } from '@bullpen/store';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { MASKER, PRISMA } from '../http/tokens.js';

@ApiTags('tasks')
@Controller('v1/search')
export class SearchController {
  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(MASKER) private readonly masker: Masker,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'Search titles, prompts and messages',
    description:
      'All words have to be in one place. A word of letters is found by its beginning, one of Hangul, Han or Kana anywhere, composed or not. Places are offsets into the text as it is stored. What was written a moment ago is found a second later.',
    answer: SearchPage,
  })
  searchTasks(
    @CurrentPrincipal() { tenantId }: Principal,
    @Query({ schema: SearchQuery }) query: SearchQuery,
  ): Promise<SearchPage> {
    return searchTasks(this.prisma, tenantId, query, (text) => this.masker.mask(text));
  }
}
