import { Module } from '@nestjs/common';
import { FlowService } from './flow.service.js';
import { QueueWatch } from './queue-watch.js';
import { QueuesController } from './queues.controller.js';
import { WorkersController } from './workers.controller.js';

/** Whether work flows, and whether it should. */
@Module({ controllers: [QueuesController, WorkersController], providers: [FlowService, QueueWatch] })
export class FlowModule {}
