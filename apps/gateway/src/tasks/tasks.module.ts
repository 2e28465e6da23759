import { Module } from '@nestjs/common';
import { AgentsController } from './agents.controller.js';
import { TaskDetailsController } from './task-details.controller.js';
import { TaskDetailsService } from './task-details.service.js';
import { TasksController } from './tasks.controller.js';
import { TasksService } from './tasks.service.js';

/** Submitting, looking at and steering tasks; the agents that they can name. */
@Module({
  controllers: [TasksController, TaskDetailsController, AgentsController],
  providers: [TasksService, TaskDetailsService],
})
export class TasksModule {}
