import { Module } from '@nestjs/common';
import { ViewsController } from './views.controller.js';

/** Views that people keep. */
@Module({ controllers: [ViewsController] })
export class ViewsModule {}
