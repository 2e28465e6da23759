/** What a user of `@hey-api/openapi-ts` writes: submits, lists, looks at types, cancels. Prints what came of it. */
import { client } from './hey/client.gen.js';
import { cancelTask, createTask, listTasks, rewindTask, type Task } from './hey/index.js';

const { BULLPEN_KEY: key = '' } = process.env;
// The address is that of `servers` in the document.
client.setConfig({ auth: key });

const submitted = await createTask({
  body: { prompt: 'Say hello.', workspace: { kind: 'path', path: process.cwd() }, rules: { commands: {} } },
});
if (submitted.error) throw new Error(submitted.error.detail);
const { id } = submitted.data;

const page = await listTasks({ query: { limit: 5 } });
const tasks: Task[] = page.data?.data ?? [];
const found = tasks.find((task) => task.id === id);
// What is answered is complete: no question mark, no default to guess.
const copied: boolean | undefined = found?.workspace.kind === 'path' ? found.workspace.copy : undefined;

const cancelled = await cancelTask({ path: { id } });
if (cancelled.error) throw new Error(cancelled.error.detail);

const refused = await rewindTask({ path: { id }, body: { turns: 1 } });
console.log(
  JSON.stringify({ id, listed: found?.id, copied, state: cancelled.data.state, code: refused.error?.code }),
);
