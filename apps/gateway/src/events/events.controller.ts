/** Events of tasks: pages, and live streams. */
import { EventPage, EventsQuery, StreamQuery, TenantStreamQuery, UiHistoryQuery } from '@bullpen/contracts';
import { FIRST_PLACE, placeOf, type Principal } from '@bullpen/store';
import { Controller, Get, Headers, Param, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CurrentPrincipal } from '../auth/access.js';
import { ApiRoute } from '../http/api-route.js';
import { TaskIdPipe } from '../http/id-pipes.js';
import { EventsService, seqOf } from './events.service.js';
import { StreamsService } from './streams.service.js';

const SSE = 'text/event-stream';
const LAST_EVENT_ID = {
  name: 'Last-Event-ID',
  required: false,
  description: 'Id of the last event that was received; takes precedence over `after`.',
};

@ApiTags('events')
@Controller('v1')
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly streams: StreamsService,
  ) {}

  @Get('tasks/:id/events')
  @ApiRoute({
    summary: 'Events of a task or its tree, oldest first',
    answer: EventPage,
    problems: ['not_found'],
  })
  listEvents(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: EventsQuery }) query: EventsQuery,
  ): Promise<EventPage> {
    return this.events.page(principal, id, query);
  }

  @Get('tasks/:id/history/ui')
  @ApiRoute({ summary: 'What people saw, oldest first', answer: EventPage, problems: ['not_found'] })
  getUiHistory(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: UiHistoryQuery }) query: UiHistoryQuery,
  ): Promise<EventPage> {
    return this.events.page(principal, id, query);
  }

  @Get('tasks/:id/stream')
  @ApiHeader(LAST_EVENT_ID)
  @ApiRoute({
    summary: 'Live events of a task or its tree',
    description:
      'Everything after `after`, then events as they happen. The id of an event is its sequence number, with `tree=true` its cursor. ' +
      'Ends with the task; 204 when nothing more will come.',
    content: SSE,
    problems: ['not_found', 'too_many_streams'],
  })
  async streamTask(
    @CurrentPrincipal() principal: Principal,
    @Param('id', TaskIdPipe) id: string,
    @Query({ schema: StreamQuery }) query: StreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventId ?? query.after;
    if (query.tree === 'true') {
      const source = await this.events.treeSource(principal, id);
      await this.streams.open(principal, reply, source, after === undefined ? FIRST_PLACE : placeOf(after));
      return;
    }
    await this.streams.open(principal, reply, this.events.taskSource(principal, id), seqOf(after));
  }

  @Get('stream')
  @ApiHeader(LAST_EVENT_ID)
  @ApiRoute({
    summary: 'Live events of all tasks',
    description: 'From now on, or after `after`. The id of an event is its cursor. Never ends.',
    content: SSE,
    problems: ['too_many_streams'],
  })
  async streamTasks(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: TenantStreamQuery }) query: TenantStreamQuery,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const after = lastEventId ?? query.after;
    const from = after === undefined ? null : placeOf(after);
    await this.streams.open(principal, reply, this.events.tenantSource(principal), from);
  }
}
