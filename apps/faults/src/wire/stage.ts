/** Where cases are played: an installation, and the server that stands for the provider. */
import type { BullpenClient } from '@bullpen/client';
import type { DrillDatabase } from '../stack/database.js';
import type { WireServer } from './wire-server.js';

export interface Stage {
  readonly client: BullpenClient;
  readonly server: WireServer;
  readonly database: DrillDatabase;
  readonly signal: AbortSignal;
}
