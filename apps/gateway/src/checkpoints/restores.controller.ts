import { RestoreTask, RestoreView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { RestoreIdPipe, TaskIdPipe } from '../http/id-pipes.js';
import { RestoresService } from './restores.service.js';

/** The routes that bring files and conversations back. */
@ApiTags('checkpoints')
@Controller('v1')
export class RestoresController {
  constructor(private readonly restores: RestoresService) {}

  @Post('tasks/:id/restore')
  @ApiRoute({
    summary: "Bring back a task's files, its conversation, or both",
    description:
      'As they were at a checkpoint. Without `dryRun: false`, nothing is changed and the answer says what would be. A worker does it, at once when one can, and records the state before as ' +
      '`before`: restoring that undoes it. No run of the task begins until then. The answer waits for the end for some seconds; `pending` means that it is still to come. Files that the checkpoint ' +
      'does not cover stay, and in a folder worked on in place so does what others changed. Of the conversation nothing is deleted: the history marks what no longer counts. Nothing may work in the ' +
      'workspace meanwhile: pause the task first.',
    answer: RestoreView,
    idempotent: true,
    problems: ['not_found', 'task_busy', 'not_rewindable'],
  })
  restoreTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: RestoreTask }) body: RestoreTask,
  ): Promise<RestoreView> {
    return this.restores.restore(principal, id, body);
  }

  @Get('restores/:id')
  @ApiRoute({
    summary: 'What became of a restore',
    description: 'Looks at what one would do are kept for an hour.',
    answer: RestoreView,
    problems: ['not_found'],
  })
  getRestore(
    @CurrentPrincipal() principal: Principal,
    @Param('id', RestoreIdPipe) id: string,
  ): Promise<RestoreView> {
    return this.restores.get(principal, id);
  }
}
