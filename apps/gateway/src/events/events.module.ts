import { Module } from '@nestjs/common';
import { EventHub } from './event-hub.js';
import { EventsController } from './events.controller.js';
import { EventsService } from './events.service.js';
import { StreamsService } from './streams.service.js';

/** Durable events in pages and live. */
@Module({
  controllers: [EventsController],
  providers: [EventHub, EventsService, StreamsService],
  exports: [EventHub],
})
export class EventsModule {}
