import { Module } from '@nestjs/common';
import { CheckpointObjects } from './checkpoint-objects.js';
import { CheckpointsController } from './checkpoints.controller.js';
import { CheckpointsService } from './checkpoints.service.js';
import { RestoresController } from './restores.controller.js';
import { RestoresService } from './restores.service.js';

/** The stored states of workspaces. */
@Module({
  controllers: [CheckpointsController, RestoresController],
  providers: [CheckpointsService, CheckpointObjects, RestoresService],
})
export class CheckpointsModule {}
