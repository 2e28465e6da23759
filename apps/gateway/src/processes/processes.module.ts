import { Module } from '@nestjs/common';
import { ProcessesController } from './processes.controller.js';
import { ProcessesService } from './processes.service.js';

/** What agents run, what it puts out, and how people end it. */
@Module({ controllers: [ProcessesController], providers: [ProcessesService] })
export class ProcessesModule {}
