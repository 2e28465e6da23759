import { Module } from '@nestjs/common';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

/** Who is told of what waits and what ended. */
@Module({ controllers: [WebhooksController], providers: [WebhooksService] })
export class WebhooksModule {}
