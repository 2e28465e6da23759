/** Whether work flows: the queue over time, and the word that it should stop or go on. */
import { ChangeFlow, QueueList, QueueSamples, QueueView, SamplesQuery } from '@bullpen/contracts';
import type { Principal } from '@bullpen/store';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, NeedsScope } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { QueueNamePipe } from '../http/id-pipes.js';
import { FlowService } from './flow.service.js';

/** A change needs no words. */
const FlowBody = ChangeFlow.prefault({});

@ApiTags('queues')
@Controller('v1/queues')
export class QueuesController {
  constructor(private readonly flow: FlowService) {}

  @Get()
  @ApiRoute({
    summary: 'The queue as it stands: depth, rates, waits, slots, repairs',
    description:
      'With the scope `admin` for all tenants, else for yours. Read at most once a second, however many ask; percentiles are from the newest sample.',
    answer: QueueList,
  })
  listQueues(@CurrentPrincipal() principal: Principal): Promise<QueueList> {
    return this.flow.queues(principal);
  }

  @Get('samples')
  @ApiRoute({
    summary: 'The queue over time',
    description:
      'Samples are taken every ten seconds by one gateway, whether anybody looks or not, and kept for a week.',
    answer: QueueSamples,
  })
  getQueueSamples(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: SamplesQuery }) query: SamplesQuery,
  ): Promise<QueueSamples> {
    return this.flow.samples(principal, query);
  }

  @Post(':name/pause')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Pause a queue',
    description:
      'Once this is answered nothing starts and nothing goes on; what runs is let run until it waits or ends. Tasks can still be submitted.',
    answer: QueueView,
    idempotent: true,
    problems: ['not_found'],
  })
  pauseQueue(
    @CurrentPrincipal() principal: Principal,
    @Param('name', QueueNamePipe) name: string,
    @Body({ schema: FlowBody }) body: ChangeFlow,
  ): Promise<QueueView> {
    return this.flow.changeQueue(principal, name, 'paused', body);
  }

  @Post(':name/drain')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Drain a queue',
    description:
      'No new tree starts; those that have begun go on to their end, with all their subtasks. For use before an upgrade.',
    answer: QueueView,
    idempotent: true,
    problems: ['not_found'],
  })
  drainQueue(
    @CurrentPrincipal() principal: Principal,
    @Param('name', QueueNamePipe) name: string,
    @Body({ schema: FlowBody }) body: ChangeFlow,
  ): Promise<QueueView> {
    return this.flow.changeQueue(principal, name, 'draining', body);
  }

  @Post(':name/resume')
  @NeedsScope('admin')
  @ApiRoute({
    summary: 'Open a queue again',
    answer: QueueView,
    idempotent: true,
    problems: ['not_found'],
  })
  resumeQueue(
    @CurrentPrincipal() principal: Principal,
    @Param('name', QueueNamePipe) name: string,
    @Body({ schema: FlowBody }) body: ChangeFlow,
  ): Promise<QueueView> {
    return this.flow.changeQueue(principal, name, 'open', body);
  }
}
