import { Module } from '@nestjs/common';
import { ExportsService } from './exports.service.js';
import { SharedPageController } from './shared-page.controller.js';
import { SharesController } from './shares.controller.js';

/** Tasks for those who have no key here. */
@Module({ controllers: [SharesController, SharedPageController], providers: [ExportsService] })
export class SharesModule {}
