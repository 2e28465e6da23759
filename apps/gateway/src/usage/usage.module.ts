import { Module } from '@nestjs/common';
import { UsageAdder } from './usage-adder.js';
import { UsageController } from './usage.controller.js';

/** Reports of tokens and money. */
@Module({ controllers: [UsageController], providers: [UsageAdder] })
export class UsageModule {}
