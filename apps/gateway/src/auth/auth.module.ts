import { Module } from '@nestjs/common';
import { IdentityController } from './identity.controller.js';
import { LoginController } from './login.controller.js';
import { SessionsController } from './sessions.controller.js';

/** Signing browsers in. Who may call what is decided by the guard (`guard.ts`), before Nest sees a request. */
@Module({ controllers: [SessionsController, IdentityController, LoginController] })
export class AuthModule {}
