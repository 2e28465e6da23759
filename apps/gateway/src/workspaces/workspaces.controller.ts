import { PageQuery, WorkspacePage } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { WorkspacesService } from './workspaces.service.js';

@ApiTags('workspaces')
@Controller('v1')
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesService) {}

  @Get('workspaces')
  @ApiRoute({
    summary: 'Workspaces, newest first, and what all of them take',
    description:
      'Sizes on disk are what workers saw last: within a minute after a run has ended, and from time to time while one works.',
    answer: WorkspacePage,
  })
  listWorkspaces(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<WorkspacePage> {
    return this.workspaces.list(principal, query);
  }
}
