import { Module } from '@nestjs/common';
import { AttachmentsController } from './attachments.controller.js';

/** What goes with tasks beside text. */
@Module({ controllers: [AttachmentsController] })
export class AttachmentsModule {}
