import { CheckpointPage, CheckpointView, PageQuery } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { CheckpointIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { CheckpointsService } from './checkpoints.service.js';

@ApiTags('checkpoints')
@Controller('v1')
export class CheckpointsController {
  constructor(private readonly checkpoints: CheckpointsService) {}

  @Get('tasks/:id/checkpoints')
  @ApiRoute({
    summary: 'Checkpoints of a task, newest first',
    description:
      'Those that it took, and all of its workspace when that is its own: what subtasks changed there belongs to its work. `diffstat` says what differs from the parent.',
    answer: CheckpointPage,
    problems: ['not_found'],
  })
  listCheckpoints(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<CheckpointPage> {
    return this.checkpoints.list(principal, id, query);
  }

  @Get('checkpoints/:id')
  @ApiRoute({ summary: 'One checkpoint', answer: CheckpointView, problems: ['not_found'] })
  getCheckpoint(
    @CurrentPrincipal() principal: Principal,
    @Param('id', CheckpointIdPipe) id: string,
  ): Promise<CheckpointView> {
    return this.checkpoints.get(principal, id);
  }
}
