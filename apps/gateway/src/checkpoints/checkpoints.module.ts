import { Module } from '@nestjs/common';
import { CheckpointObjects } from './checkpoint-objects.js';
import { CheckpointsController } from './checkpoints.controller.js';
import { CheckpointsService } from './checkpoints.service.js';

/** The stored states of workspaces. */
@Module({ controllers: [CheckpointsController], providers: [CheckpointsService, CheckpointObjects] })
export class CheckpointsModule {}
