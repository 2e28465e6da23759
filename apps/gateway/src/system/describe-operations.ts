/** What the document says of each operation beyond its types: an example, and which bodies may be left out. */
import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLES } from './examples/index.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Content = Record<string, { schema?: { default?: unknown }; example?: unknown }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds to the document what decorators cannot say: bodies that may be left out, and an example for each operation. */
export function describeOperations(document: OpenAPIObject): void {
  for (const path of Object.values(document.paths))
    for (const method of METHODS) {
      const operation = path[method];
      if (!operation) continue;
      allowNoBody(operation);
      addExamples(operation);
    }
}

/** A body with a default may be left out, which Nest does not tell. */
function allowNoBody({ requestBody }: Operation): void {
  if (!requestBody || '$ref' in requestBody) return;
  for (const { schema } of Object.values(requestBody.content as Content)) {
    if (schema?.default === undefined) continue;
    requestBody.required = false;
    delete schema.default;
  }
}

function addExamples({ operationId = '', parameters = [], requestBody, responses }: Operation): void {
  const example = EXAMPLES[operationId];
  if (!example) return;
  for (const parameter of parameters)
    if ('name' in parameter && example.parameters?.[parameter.name] !== undefined)
      parameter.example = example.parameters[parameter.name];
  if (requestBody && 'content' in requestBody) giveExample(requestBody.content as Content, example.body);
  const [success] = Object.keys(responses).filter((status) => status.startsWith('2'));
  const response = success === undefined ? undefined : responses[success];
  if (response && 'content' in response) giveExample(response.content as Content, example.answer);
}

function giveExample(content: Content, example: unknown): void {
  for (const media of Object.values(content)) media.example = example;
}
