/** All cases. */
import type { WireCase } from '../wire-case.js';
import { argumentCases } from './arguments.js';
import { notStreams } from './bodies.js';
import { breaks } from './breaks.js';
import { callIds } from './call-ids.js';
import { ends } from './ends.js';
import { eventCases } from './events.js';
import { frames } from './frames.js';
import { orders } from './orders.js';
import { statuses } from './statuses.js';
import { thinkingCases } from './thinking.js';
import { usageCases } from './usage.js';
import { valueCases } from './values.js';

export const cases: readonly WireCase[] = [
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
  ...breaks,
  ...statuses,
];
