import { CheckpointPage, CheckpointView, PageQuery, TaskDiff } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Controller, Get, Param, Query, Res, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { CheckpointIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { CheckpointsService } from './checkpoints.service.js';

const PATCH = 'text/x-diff';
const PACK = 'application/x-git-packed-objects';

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

  @Get('tasks/:id/diff')
  @ApiRoute({
    summary: 'What a task changed',
    description:
      'The files of its first and its newest checkpoint compared; the first 200 of those that differ.',
    answer: TaskDiff,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  diffTask(@CurrentPrincipal() principal: Principal, @Param('id', TaskIdPipe) id: string): Promise<TaskDiff> {
    return this.checkpoints.diff(principal, id);
  }

  @Get('tasks/:id/patch')
  @ApiRoute({
    summary: 'What a task changed, as a patch',
    description:
      'For `git apply`, binary files included; empty when nothing changed. Contents of files are as they are: nothing is masked.',
    content: PATCH,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  async patchTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<StreamableFile> {
    return new StreamableFile(await this.checkpoints.patch(principal, id), { type: PATCH });
  }

  @Get('tasks/:id/changes')
  @ApiRoute({
    summary: 'The files of a task before and after its work, for merging',
    description:
      'A pack of git with two commits, which the headers `bullpen-base` and `bullpen-newest` name. `bullpen apply` merges them into a folder.',
    content: PACK,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  async changesOfTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { base, newest, pack } = await this.checkpoints.changes(principal, id);
    void reply.header('bullpen-base', base).header('bullpen-newest', newest);
    return new StreamableFile(pack, { type: PACK });
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
