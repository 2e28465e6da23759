/** The work modes of a task: its way through them, and the triggers that lead on. */
import { FireTrigger, TransitionsView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { TaskIdPipe } from '../http/id-pipes.js';
import { TransitionsService } from './transitions.service.js';

@ApiTags('tasks')
@Controller('v1/tasks/:id/transitions')
export class TransitionsController {
  constructor(private readonly transitions: TransitionsService) {}

  @Get()
  @ApiRoute({
    summary: 'Where a task may go from its work mode, and how it came there',
    description:
      '`possible`: the triggers that lead on now. `impossible`: those whose condition is not met, and why. `history`: every try, the refused ones included. A task with the workflow `free` has none of it.',
    answer: TransitionsView,
    problems: ['not_found'],
  })
  getTransitions(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
  ): Promise<TransitionsView> {
    return this.transitions.view(principal, id);
  }

  @Post()
  @ApiRoute({
    summary: 'Fire a trigger of the work mode that a task is in',
    description:
      'Its agent is told, with the reason. A trigger that leads nowhere is refused and recorded: the mode stays, and `nextActions` has the triggers that would work. With `ifSeq`, nothing happens when somebody else was first.',
    answer: TransitionsView,
    idempotent: true,
    problems: ['not_found', 'transition_refused', 'revision_conflict', 'task_finished'],
  })
  fireTrigger(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Body({ schema: FireTrigger }) body: FireTrigger,
  ): Promise<TransitionsView> {
    return this.transitions.fire(principal, id, body);
  }
}
