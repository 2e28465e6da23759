/** Who runs what, and whether they should take more. */
import { ChangeFlow, WorkerList, WorkerView } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, NeedsScope } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { WorkerIdPipe } from '../http/id-pipes.js';
import { FlowService } from './flow.service.js';

const FlowBody = ChangeFlow.prefault({});

@ApiTags('queues')
@Controller('v1/workers')
export class WorkersController {
  constructor(private readonly flow: FlowService) {}

  @Get()
  @ApiRoute({
    summary: 'Workers that live, and what each of them runs now and since when',
    description: 'Without the scope `admin` only tasks of your tenant are named.',
    answer: WorkerList,
  })
  listWorkers(@CurrentPrincipal() principal: Principal): Promise<WorkerList> {
    return this.flow.workers(principal);
  }

  @Post(':id/pause')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Pause a worker',
    description: 'Once this is answered it takes nothing new; what it runs is let run.',
    answer: WorkerView,
    idempotent: true,
    problems: ['not_found'],
  })
  pauseWorker(
    @CurrentPrincipal() principal: Principal,
    @Param('id', WorkerIdPipe) id: string,
    @Body({ schema: FlowBody }) body: ChangeFlow,
  ): Promise<WorkerView> {
    return this.flow.changeWorker(principal, id, 'paused', body);
  }

  @Post(':id/drain')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Drain a worker',
    description:
      'It takes nothing new, and gives what it runs to other workers at the end of the model call or tool under way. The process goes on, empty.',
    answer: WorkerView,
    idempotent: true,
    problems: ['not_found'],
  })
  drainWorker(
    @CurrentPrincipal() principal: Principal,
    @Param('id', WorkerIdPipe) id: string,
    @Body({ schema: FlowBody }) body: ChangeFlow,
  ): Promise<WorkerView> {
    return this.flow.changeWorker(principal, id, 'draining', body);
  }

  @Post(':id/resume')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Let a worker take tasks again',
    answer: WorkerView,
    idempotent: true,
    problems: ['not_found'],
  })
  resumeWorker(
    @CurrentPrincipal() principal: Principal,
    @Param('id', WorkerIdPipe) id: string,
    @Body({ schema: FlowBody }) body: ChangeFlow,
  ): Promise<WorkerView> {
    return this.flow.changeWorker(principal, id, 'open', body);
  }
}
