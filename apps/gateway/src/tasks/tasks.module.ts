import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';
import { ForksController } from './forks.controller.js';
import { ForksService } from './forks.service.js';
import { ModelsController } from './models.controller.js';
import { RetriesController } from './retries.controller.js';
import { RetriesService } from './retries.service.js';
import { SteeringController } from './steering.controller.js';
import { SteeringService } from './steering.service.js';
import { TaskDetailsController } from './task-details.controller.js';
import { TaskDetailsService } from './task-details.service.js';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';
import { TransitionsController } from './transitions.controller.js';
import { TransitionsService } from './transitions.service.js';

/** Submitting, looking at and steering tasks; the agents that they can name. */
@Module({
  controllers: [
    TasksController,
    SteeringController,
    RetriesController,
    ForksController,
    TaskDetailsController,
    TransitionsController,
    AgentsController,
    ModelsController,
  ],
  providers: [
    TasksService,
    SteeringService,
    RetriesService,
    ForksService,
    TaskDetailsService,
    TransitionsService,
  ],
  exports: [RetriesService],
})
export class TasksModule {}
