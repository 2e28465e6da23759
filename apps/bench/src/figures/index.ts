/** The figures, in the order in which they are measured. A new one: a file beside this, and a line here. */
import type { Lab } from '../lab/lab.js';
import type { Measure } from '../report/measure.js';
import { measureCache } from './cache.js';
import { measureCheckpoints } from './checkpoints.js';
import { measureDetection } from './detection.js';
import { measureFairness } from './fairness.js';
import { measureFanOut } from './fan-out.js';
import { measureGrowth, measureResume } from './growth.js';
import { measureIdle } from './idle.js';
import { measureIdleStart } from './idle-start.js';
import { measureLive } from './live.js';
import { measureLongTask } from './long-task.js';
import { measureMemory } from './memory.js';
import { measureScale } from './scale.js';
import { measureStep } from './step.js';
import { measureSubmit } from './submit.js';
import { measureWaiting } from './waiting.js';

export const FIGURES = {
  submit: measureSubmit,
  'idle-start': measureIdleStart,
  step: measureStep,
  growth: measureGrowth,
  resume: measureResume,
  'fan-out': measureFanOut,
  fairness: measureFairness,
  live: measureLive,
  memory: measureMemory,
  waiting: measureWaiting,
  idle: measureIdle,
  detection: measureDetection,
  checkpoints: measureCheckpoints,
  cache: measureCache,
  'long-task': measureLongTask,
  scale: measureScale,
} satisfies Record<string, (lab: Lab) => Promise<Measure[]>>;

export type FigureName = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly FigureName[];
