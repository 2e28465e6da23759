import { Module } from '@nestjs/common';
import { InteractionsController } from './interactions.controller.js';
import { InteractionsService } from './interactions.service.js';

/** What waits for people. */
@Module({ controllers: [InteractionsController], providers: [InteractionsService] })
export class InteractionsModule {}
