/** The drills, in the order in which they run. */
import type { Drill } from '../drill.js';

export const drills: readonly Drill[] = [];
