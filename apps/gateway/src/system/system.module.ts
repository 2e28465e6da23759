import { Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { HealthController } from './health.controller.js';
import { HomeController } from './home.controller.js';
import { ReadinessService } from './readiness.js';
import { SystemController } from './system.controller.js';

/** Health, the state of the installation, the API reference, the first page. */
@Module({
  controllers: [HealthController, SystemController, DocsController, HomeController],
  providers: [ReadinessService],
})
export class SystemModule {}
