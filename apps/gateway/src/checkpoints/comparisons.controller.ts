import type { Readable } from 'node:stream';
import { CompareCheckpoints, TaskDiff } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { CheckpointIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { ComparisonsService } from './comparisons.service.js';

const PATCH = 'text/x-diff';
const ARCHIVE = 'application/gzip';
const ARCHIVED =
  'A tar archive, compressed by gzip, with all files, links, folders and modes as they were. Contents of files are as they are: nothing is masked.';

@ApiTags('checkpoints')
@Controller('v1')
export class ComparisonsController {
  constructor(private readonly comparisons: ComparisonsService) {}

  @Get('checkpoints/:id/diff')
  @ApiRoute({
    summary: 'What differs between two checkpoints',
    description:
      'They may belong to different tasks. Without `to`, the newest checkpoint of the same workspace. The first 200 files that differ.',
    answer: TaskDiff,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  compareCheckpoints(
    @CurrentPrincipal() principal: Principal,
    @Param('id', CheckpointIdPipe) id: string,
    @Query({ schema: CompareCheckpoints }) query: CompareCheckpoints,
  ): Promise<TaskDiff> {
    return this.comparisons.diff(principal, id, query.to);
  }

  @Get('checkpoints/:id/patch')
  @ApiRoute({
    summary: 'What differs between two checkpoints, as a patch',
    description:
      'For `git apply`, binary files included. Contents of files are as they are: nothing is masked.',
    content: PATCH,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  async patchCheckpoints(
    @CurrentPrincipal() principal: Principal,
    @Param('id', CheckpointIdPipe) id: string,
    @Query({ schema: CompareCheckpoints }) query: CompareCheckpoints,
  ): Promise<StreamableFile> {
    return new StreamableFile(await this.comparisons.patch(principal, id, query.to), { type: PATCH });
  }

  @Get('checkpoints/:id/archive')
  @ApiRoute({
    summary: 'The files of a checkpoint',
    description: ARCHIVED,
    content: ARCHIVE,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  async archiveCheckpoint(
    @CurrentPrincipal() principal: Principal,
    @Param('id', CheckpointIdPipe) id: string,
  ): Promise<StreamableFile> {
    return attached(id, await this.comparisons.archive(principal, id));
  }

  @Get('tasks/:id/archive')
  @ApiRoute({
    summary: 'The files of a task, as they were stored last',
    description: ARCHIVED,
    content: ARCHIVE,
    problems: ['not_found', 'checkpoint_unavailable'],
  })
  async archiveTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<StreamableFile> {
    return attached(id, await this.comparisons.archiveOfTask(principal, id));
  }
}

function attached(name: string, archive: Readable): StreamableFile {
  return new StreamableFile(archive, { type: ARCHIVE, disposition: `attachment; filename="${name}.tar.gz"` });
}
