/** The task queue, registered through @nestjs/bullmq on whichever backend the installation uses. */
import {
  BullTaskQueue,
  closeQueue,
  nestBullRootOptions,
  QUEUE_NAME,
  type QueueConnection,
} from '@bullpen/queue';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Queue } from 'bullmq';
import { LOGGER, TASK_QUEUE, type Logger } from '../http/tokens.js';

@Module({})
export class QueuesModule implements OnApplicationShutdown {
  constructor(@Inject(getQueueToken(QUEUE_NAME)) private readonly queue: Queue) {}

  /** BullModule closes the queue as well, but for a server that is away. */
  onApplicationShutdown(): Promise<void> {
    return closeQueue(this.queue);
  }

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
