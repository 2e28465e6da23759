import { BUILTIN_AGENTS, harnessTools } from '@bullpen/core';
import { toolContract } from '@bullpen/core/testing';
import { aDefinition, aTask } from '@bullpen/testing';
import { createTools } from './create-tools.js';
import { validateJson } from './json-schema.js';
import { toolsDeps } from './testing/tools-deps.js';

const task = aTask({ definition: aDefinition({ outputSchema: { type: 'object', required: ['sum'] } }) });

toolContract('all tools of the product', [
  ...createTools(toolsDeps()),
  ...harnessTools(() => task, { agents: BUILTIN_AGENTS, validate: validateJson }),
]);
