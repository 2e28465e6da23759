import { Module } from '@nestjs/common';
import { UsageController } from './usage.controller.js';

/** Reports of tokens and money. */
@Module({ controllers: [UsageController] })
export class UsageModule {}
