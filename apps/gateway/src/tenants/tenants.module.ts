import { Module } from '@nestjs/common';
import { TenantsController } from './tenants.controller.js';

/** Who shares the installation. */
@Module({ controllers: [TenantsController] })
export class TenantsModule {}
