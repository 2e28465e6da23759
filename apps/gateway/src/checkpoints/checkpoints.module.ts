import { Module } from '@nestjs/common';
import { CheckpointObjects } from './checkpoint-objects.js';
import { CheckpointsController } from './checkpoints.controller.js';
import { ComparisonsController } from './comparisons.controller.js';
import { ComparisonsService } from './comparisons.service.js';
import { CheckpointsService } from './checkpoints.service.js';
import { RestoresController } from './restores.controller.js';
import { RestoresService } from './restores.service.js';

/** The stored states of workspaces. */
@Module({
  controllers: [CheckpointsController, ComparisonsController, RestoresController],
  providers: [CheckpointsService, ComparisonsService, CheckpointObjects, RestoresService],
})
export class CheckpointsModule {}
