import { Module } from '@nestjs/common';
import { ModesController } from './modes.controller.js';

@Module({ controllers: [ModesController] })
export class ModesModule {}
