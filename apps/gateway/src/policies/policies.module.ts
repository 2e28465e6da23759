import { Module } from '@nestjs/common';
import { PoliciesController } from './policies.controller.js';
import { PoliciesService } from './policies.service.js';

/** What may run without asking: the layers of the policy, and the trial of command lines. */
@Module({ controllers: [PoliciesController], providers: [PoliciesService] })
export class PoliciesModule {}
