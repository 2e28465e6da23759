import { Module } from '@nestjs/common';
import { ProvidersController } from './providers.controller.js';

/** Keys of model providers, as the workers share them. */
@Module({ controllers: [ProvidersController] })
export class ProvidersModule {}
