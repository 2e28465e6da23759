/** All cases. */
import type { Probe, WireCase } from '../wire-case.js';
import { agents } from './agents.js';
import { argumentCases } from './arguments.js';
import { notStreams } from './bodies.js';
import { breaks } from './breaks.js';
import { callIds } from './call-ids.js';
import { edge } from './edge.js';
import { ends } from './ends.js';
import { errorBodies } from './error-bodies.js';
import { eventCases } from './events.js';
import { frames } from './frames.js';
import { http, large } from './http.js';
import { network } from './network.js';
import { orders } from './orders.js';
import { pooler } from './pooler.js';
import { statuses } from './statuses.js';
import { thinkingCases } from './thinking.js';
import { usageCases } from './usage.js';
import { valueCases } from './values.js';
import { callsInText } from './xml.js';

export const cases: readonly (WireCase | Probe)[] = [
  ...ends,
  ...callIds,
  ...argumentCases,
  ...valueCases,
  ...usageCases,
  ...frames,
  ...notStreams,
  ...eventCases,
  ...orders,
  ...thinkingCases,
  ...callsInText,
  ...breaks,
  ...agents,
  ...http,
  ...large,
  ...errorBodies,
  ...statuses,
  ...edge,
  ...pooler,
  ...network,
];
