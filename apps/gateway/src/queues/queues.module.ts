/** The task queue, registered through @nestjs/bullmq on whichever backend the installation uses. */
import { BullTaskQueue, nestBullRootOptions, QUEUE_NAME, type QueueConnection } from '@bullpen/queue';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module, type DynamicModule } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { LOGGER, TASK_QUEUE, type Logger } from '../http/tokens.js';

@Module({})
export class QueuesModule {
  /** Call `installDefaultBackend` for the same connection before the application starts. */
  static on(connection: QueueConnection): DynamicModule {
    return {
      module: QueuesModule,
      global: true,
      imports: [
        BullModule.forRoot(nestBullRootOptions(connection)),
        BullModule.registerQueue({ name: QUEUE_NAME }),
      ],
      providers: [
        {
          provide: TASK_QUEUE,
          inject: [getQueueToken(QUEUE_NAME), LOGGER],
          useFactory: (queue: Queue, logger: Logger) => new BullTaskQueue({ source: { queue }, logger }),
        },
      ],
      exports: [TASK_QUEUE, BullModule],
    };
  }
}
