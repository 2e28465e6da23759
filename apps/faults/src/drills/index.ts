/** All drills with real processes, in the order of the fault plan. */
import type { Drill } from '../drill.js';
import { killWorkers } from './x02-kill-workers.js';

export const drills: readonly Drill[] = [killWorkers];
