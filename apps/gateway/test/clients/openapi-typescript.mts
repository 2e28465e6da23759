/** What a user of `openapi-typescript` and `openapi-fetch` writes: submits, lists, looks at types, cancels. Prints what came of it. */
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.js';

type Task = components['schemas']['Task'];

const { BULLPEN_URL: baseUrl = '', BULLPEN_KEY: key = '' } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

const submitted = await client.POST('/v1/tasks', {
  body: { prompt: 'Say hello.', workspace: { kind: 'path', path: process.cwd() }, rules: { commands: {} } },
});
if (submitted.error) throw new Error(submitted.error.detail);
const { id } = submitted.data;

const page = await client.GET('/v1/tasks', { params: { query: { limit: 5 } } });
const tasks: Task[] = page.data?.data ?? [];
const found = tasks.find((task) => task.id === id);
// What is answered is complete: no question mark, no default to guess.
const copied: boolean | undefined = found?.workspace.kind === 'path' ? found.workspace.copy : undefined;

const cancelled = await client.POST('/v1/tasks/{id}/cancel', { params: { path: { id } } });
if (cancelled.error) throw new Error(cancelled.error.detail);

const refused = await client.POST('/v1/tasks/{id}/rewind', {
  params: { path: { id } },
  body: { turns: 1 },
});
console.log(
  JSON.stringify({ id, listed: found?.id, copied, state: cancelled.data.state, code: refused.error?.code }),
);
