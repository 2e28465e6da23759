/** The peers that the bench installs. A new one: a file beside this, its package in `apps/bench/peers`, and a line here. */
import { dbos } from './dbos.js';
import { graphileWorker } from './graphile-worker.js';
import { langGraph } from './langgraph.js';
import type { PeerKind } from './peer.js';
import { pgBoss } from './pg-boss.js';

export const PEERS = {
  dbos,
  'graphile-worker': graphileWorker,
  langgraph: langGraph,
  'pg-boss': pgBoss,
} satisfies Record<string, PeerKind>;

export type PeerName = keyof typeof PEERS;
