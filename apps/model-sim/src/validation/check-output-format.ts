/** The JSON schema that an answer is to fit (`output_config.format`, formerly `output_format`). */
import { invalidRequest } from '../api-error.js';
import type { MessagesRequest } from '../wire.js';

type Schema = Readonly<Record<string, unknown>>;

/** The schema that the request asks for; undefined when it asks for none. */
export function outputSchemaOf({
  output_config: config,
  output_format: former,
}: MessagesRequest): Schema | undefined {
  return (config?.format ?? former)?.schema;
}

/** Throws `ApiError` (400) for a format that is given twice, or whose schema the API does not take. */
export function checkOutputFormat(request: MessagesRequest): void {
  if (request.output_config?.format != null && request.output_format != null)
    throw invalidRequest('output_format: Cannot be given together with output_config.format');
  const schema = outputSchemaOf(request);
  const place = request.output_format == null ? 'output_config.format.schema' : 'output_format.schema';
  if (schema !== undefined) checkSchema(schema, place);
}

/** Objects have to be closed, as the API can only promise what is named. */
function checkSchema(schema: unknown, place: string): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (!Array.isArray(schema)) {
    const { type, additionalProperties } = schema as Schema;
    if (type === 'object' && additionalProperties !== false)
      throw invalidRequest(
        `${place}: For 'object' type, 'additionalProperties' must be explicitly set to false`,
      );
  }
  for (const [key, value] of Object.entries(schema)) {
    // What an example or a default looks like is no schema.
    if (!['enum', 'const', 'default', 'examples'].includes(key)) checkSchema(value, place);
  }
}
