import { unboxed } from '@bullpen/workspace';
import { BUILTIN_AGENTS, harnessTools } from '@bullpen/core';
import { toolContract } from '@bullpen/core/testing';
import { aDefinition, aTask } from '@bullpen/testing';
import { createTools } from './create-tools.js';
import { validateJson } from './json-schema.js';

const task = aTask({ definition: aDefinition({ outputSchema: { type: 'object', required: ['sum'] } }) });

toolContract('all tools of the product', [
  ...createTools({
    command: { sandbox: unboxed(), path: '/usr/bin:/bin', user: null, homesRoot: '/nonexistent' },
  }),
  ...harnessTools(() => task, { agents: BUILTIN_AGENTS, validate: validateJson }),
]);
