/** All drills with real processes, in the order of the fault plan. */
import type { Drill } from '../drill.js';
import { demo } from './demo.js';
import { killWorkers } from './x02-kill-workers.js';
import { killGateway } from './x03-kill-gateway.js';
import { flushAll } from './x04-flush-all.js';
import { redisAway, redisFlushed, redisFull, redisRestarts } from './x04-redis.js';
import { backendsTerminated, postgresAway, postgresCrashes } from './x05-postgres.js';
import { partitions } from './x06-partitions.js';
import { frozenWorker } from './x07-frozen-worker.js';
import { wrongClocks } from './x08-clocks.js';
import { strangeWakes } from './x09-wakes.js';
import { modelErrors, modelLockedOut } from './x10-model-errors.js';
import { cutStreams } from './x11-cut-streams.js';
import { oddAnswers } from './x12-odd-answers.js';
import { diskFull } from './x13-disk-full.js';
import { outOfMemory } from './x14-memory.js';
import { poison } from './x15-poison.js';
import { cancelStorm } from './x16-cancels.js';
import { rollingRestart } from './x18-rolling-restart.js';
import { watchers } from './x19-watchers.js';
import { commands } from './x20-commands.js';
import { lostWorkspaces } from './x21-lost-workspaces.js';
import { allAtOnce } from './x22-all-at-once.js';
import { fanIn } from './x23-fan-in.js';
import { approvals } from './x24-approvals.js';
import { lostDisks } from './x25-lost-disks.js';
import { restores } from './x26-restores.js';

export const drills: readonly Drill[] = [
  killWorkers,
  killGateway,
  redisRestarts,
  redisFlushed,
  redisAway,
  redisFull,
  flushAll,
  postgresCrashes,
  backendsTerminated,
  postgresAway,
  partitions,
  frozenWorker,
  wrongClocks,
  strangeWakes,
  modelErrors,
  modelLockedOut,
  cutStreams,
  oddAnswers,
  diskFull,
  outOfMemory,
  poison,
  cancelStorm,
  rollingRestart,
  watchers,
  commands,
  lostWorkspaces,
  allAtOnce,
  fanIn,
  approvals,
  lostDisks,
  restores,
  demo,
];
