import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { Purge } from './purge.js';
import { ZodPipe } from './zod-pipe.js';

/** What holds for every route that Nest serves; what holds for all routes is in `http-adapter.ts`. */
@Module({
  providers: [
    { provide: APP_PIPE, useClass: ZodPipe },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    Purge,
  ],
})
export class HttpModule {}
