import { Module } from '@nestjs/common';
import { EventsModule } from '../events/events.module.js';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { IdsController } from './ids.controller.js';
import { ReadinessService } from './readiness.js';
import { SystemController } from './system.controller.js';

/** Health, the state of the installation, the API reference. */
@Module({
  imports: [EventsModule],
  controllers: [HealthController, SystemController, DocsController, IdsController],
  providers: [ReadinessService],
})
export class SystemModule {}
