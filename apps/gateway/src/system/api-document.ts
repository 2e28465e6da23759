/** The OpenAPI document of the running gateway, made from its routes and the contracts' schemas. */
import {
  AppError,
  CompareCheckpoints,
  ListDeliveries,
  ListInteractions,
  ListTasks,
  EventsQuery,
  FailuresQuery,
  OutputQuery,
  PageQuery,
  PolicyKeyQuery,
  Problem,
  SamplesQuery,
  StreamQuery,
  TenantStreamQuery,
  UiHistoryQuery,
  UsageQuery,
} from '@bullpen/contracts';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { z } from 'zod';
import { problemAnswer } from '../http/api-route.js';
import type { RouteTable } from '../http/route-table.js';
import { describeOperations } from './describe-operations.js';
import { SchemaCatalogue, settleNames } from './schema-catalogue.js';

/** Their fields become parameters of the route, so the object itself gets no name. */
const QUERIES: ReadonlySet<z.ZodType> = new Set<z.ZodType>([
  CompareCheckpoints,
  ListDeliveries,
  ListInteractions,
  ListTasks,
  EventsQuery,
  FailuresQuery,
  OutputQuery,
  PageQuery,
  PolicyKeyQuery,
  SamplesQuery,
  StreamQuery,
  TenantStreamQuery,
  UiHistoryQuery,
  UsageQuery,
]);

const DESCRIPTION = `Bullpen runs fleets of long-running AI agents. Submit a task, watch its events, send it messages.

Errors are problem documents (RFC 9457) with a stable \`code\`. Every POST takes an \`Idempotency-Key\`. Lists come in pages:
pass \`nextCursor\` as \`after\` to get the next one.`;

/** Makes the document when it is first asked for: it is large, and most gateways are never asked. */
export class ApiDocument {
  #make: (() => OpenAPIObject) | null = null;
  #document: OpenAPIObject | null = null;

  /** The document of the server at this URL, as the one who asks for it calls it. */
  get(server: string): OpenAPIObject {
    if (this.#make === null) throw new AppError('not_ready', 'The gateway is still starting.');
    this.#document ??= this.#make();
    return { ...this.#document, servers: [{ url: server }] };
  }

  /** All routes are registered. */
  describe(app: INestApplication, routes: RouteTable, version: string): void {
    this.#make = () => this.#build(app, routes, version);
  }

  #build(app: INestApplication, routes: RouteTable, version: string): OpenAPIObject {
    const config = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle('Bullpen')
      .setDescription(DESCRIPTION)
      .setVersion(version)
      .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
      .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key: `bp_…`.' }, 'bearer')
      .addSecurityRequirements('bearer')
      .build();
    const catalogue = new SchemaCatalogue(QUERIES);
    const document = SwaggerModule.createDocument(app, config, {
      standardSchemaConverter: (schema, { schemaType }) => catalogue.convert(schema, schemaType),
      // Generators make methods of them, so a handler is named as a client would call it: `createTask`.
      operationIdFactory: (_controller, method) => method,
    });
    document.components = {
      ...document.components,
      schemas: { ...document.components?.schemas, ...catalogue.componentOf(Problem) },
    };
    describeAccess(document, routes);
    describeOperations(document);
    return settleNames(document);
  }
}

/** Which routes need a key is taken from the routes themselves, where the guard reads it, too. */
function describeAccess(document: OpenAPIObject, routes: RouteTable): void {
  for (const { method, url, isPublic } of routes.routes) {
    const path = document.paths[url.replace(/:([A-Za-z]+)/g, '{$1}')];
    const operation = path?.[method.toLowerCase() as 'get' | 'post'];
    if (!operation) continue;
    if (isPublic) operation.security = [];
    else operation.responses['401'] = problemAnswer(['unauthorized']);
  }
}
