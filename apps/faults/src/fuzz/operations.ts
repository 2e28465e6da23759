/** What there is to be asked for: every operation of the API's own description, and the routes beside it. */
import { z } from 'zod';
import { MORE_BODIES } from './bodies.js';

export interface Operation {
  readonly method: string;
  /** `/v1/tasks/{id}` */
  readonly path: string;
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** Valid bodies; none when it takes none. */
  readonly bodies: readonly object[];
}

const Parameter = z.object({ name: z.string(), in: z.string() });
const Described = z.object({
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ example: z.unknown() })) }).optional(),
});
const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), Described)) });

/** Served beside the API, and not described by it. */
const OTHERS: readonly Operation[] = [
  ['GET', '/'],
  ['GET', '/login'],
  ['GET', '/docs'],
  ['GET', '/openapi.json'],
  ['GET', '/admin/queues'],
  ['GET', '/admin/queues/api/queues'],
  ['GET', '/admin/queues/api/queues/{queue}/{id}'],
  ['PUT', '/admin/queues/api/queues/{queue}/{id}/retry'],
].map(([method = '', path = '']) => ({ method, path, query: ['activeQueue', 'page'], bodies: [] }));

/** Reads the description of the gateway at this address. */
export async function readOperations(baseUrl: string): Promise<readonly Operation[]> {
  const { paths } = Document.parse(await (await fetch(`${baseUrl}/openapi.json`)).json());
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters, requestBody }]): Operation => {
      const [content] = Object.values(requestBody?.content ?? {});
      const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
      const name = `${method.toUpperCase()} ${path}`;
      const bodies = requestBody === undefined ? [] : [(content?.example ?? {}) as object];
      return { method: method.toUpperCase(), path, query, bodies: [...bodies, ...(MORE_BODIES[name] ?? [])] };
    }),
  );
  return [...described, ...OTHERS];
}
