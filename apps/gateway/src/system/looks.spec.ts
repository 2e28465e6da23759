import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { looksOf } from '@bullpen/testing/harness';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

/** What the bench does not ask for at scale, and why not. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  '/v1/tasks/{id}/briefing': 'one row',
  '/v1/tasks/{id}/tool-calls/{callId}/output': 'one row',
  '/v1/tasks/{id}/model-calls/{callId}/bodies': 'one row',
  '/v1/interactions/{id}': 'one row',
  '/v1/checkpoints/{id}': 'one row',
  '/v1/restores/{id}': 'one row',
  '/v1/processes/{id}': 'one row',
  '/v1/webhooks/deliveries/{id}': 'one row',
  '/v1/attachments/{digest}': 'one row',
  '/v1/policies/{scope}': 'one row',
  '/v1/processes/{id}/output': 'a file',
  '/v1/checkpoints/{id}/diff': 'objects of checkpoints',
  '/v1/checkpoints/{id}/patch': 'objects of checkpoints',
  '/v1/checkpoints/{id}/archive': 'objects of checkpoints',
  '/v1/tasks/{id}/archive': 'objects of checkpoints',
  '/v1/tasks/{id}/diff': 'objects of checkpoints',
  '/v1/tasks/{id}/patch': 'objects of checkpoints',
  '/v1/tasks/{id}/changes': 'objects of checkpoints',
  '/v1/shared': 'what the task behind the link shows',
  '/v1/shared/events': 'what the task behind the link shows',
};

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

it('knows every list of the API with each of its parameters, or why it is none', async () => {
  const { paths } = (await (await fetch(`${bullpen.url}/openapi.json`)).json()) as {
    paths: Record<string, { get?: Operation }>;
  };
  const looks = looksOf(600).map((look) => new URL(look, bullpen.url));
  const missing: string[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined || !path.startsWith('/v1/') || path in NOT_ASKED) continue;
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '\\w+')}$`);
    const own = looks.filter(({ pathname }) => pattern.test(pathname));
    if (own.length === 0) missing.push(path);
    for (const { name, in: place } of get.parameters ?? [])
      // The bench follows `nextCursor` by itself.
      if (place === 'query' && name !== 'after' && !own.some(({ searchParams }) => searchParams.has(name)))
        missing.push(`${path}?${name}`);
  }
  expect(missing).toEqual([]);
  expect(Object.keys(NOT_ASKED).filter((path) => paths[path]?.get === undefined)).toEqual([]);
});
