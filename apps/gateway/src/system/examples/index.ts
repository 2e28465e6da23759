/** An example for each operation of the API, by its id. */
import { attachmentExamples } from './attachment.examples.js';
import { bulkExamples } from './bulk.examples.js';
import { checkpointExamples } from './checkpoint.examples.js';
import { dashboardExamples } from './dashboard.examples.js';
import type { OperationExample } from './example.js';
import { historyExamples } from './history.examples.js';
import { installationExamples } from './installation.examples.js';
import { peopleExamples } from './people.examples.js';
import { processExamples } from './process.examples.js';
import { queueExamples } from './queue.examples.js';
import { taskExamples } from './task.examples.js';
import { transitionExamples } from './transition.examples.js';
import { workspaceExamples } from './workspace.examples.js';

export const EXAMPLES: Readonly<Record<string, OperationExample>> = {
  ...taskExamples,
  ...transitionExamples,
  ...attachmentExamples,
  ...bulkExamples,
  ...historyExamples,
  ...peopleExamples,
  ...processExamples,
  ...checkpointExamples,
  ...workspaceExamples,
  ...queueExamples,
  ...dashboardExamples,
  ...installationExamples,
};
