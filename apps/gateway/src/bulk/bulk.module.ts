import { Module } from '@nestjs/common';
import { TasksModule } from '../tasks/tasks.module.js';
import { BulkController } from './bulk.controller.js';
import { BulkRunner } from './bulk-runner.js';

/** One thing done to many tasks. */
@Module({ imports: [TasksModule], controllers: [BulkController], providers: [BulkRunner] })
export class BulkModule {}
