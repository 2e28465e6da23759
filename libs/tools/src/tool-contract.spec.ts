import { harnessTools, ToolRegistry } from '@bullpen/core';
import { toolContract } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import { createTools } from './create-tools.js';
import { validateJson } from './json-schema.js';
import { toolsDeps } from './testing/tools-deps.js';

const registry = new ToolRegistry([
  ...createTools(toolsDeps()),
  ...harnessTools({ agents: [aDefinition()], validate: validateJson }),
]);
const definition = aDefinition({
  tools: [...registry.names],
  outputSchema: { type: 'object', required: ['sum'] },
});

toolContract('all tools of the product', [...registry.toolsOf(definition).values()]);
