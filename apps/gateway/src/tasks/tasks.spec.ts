/** Submitting, looking at and steering tasks over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskPage, TaskView } from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

describe('tasks', () => {
  let bullpen: TestGateway;
  beforeAll(async () => {
    bullpen = await startTestGateway();
  });
  afterAll(() => bullpen?.close());

  const create = async (body: object = { prompt: 'Say hello' }): Promise<TaskView> => {
    const response = await bullpen.post('/v1/tasks', body);
    expect(response.status).toBe(201);
    return TaskView.parse(await response.json());
  };

  it('creates a task, says where it is, and shows it', async () => {
    const response = await bullpen.post('/v1/tasks', { prompt: 'Say hello', tags: ['a'], metadata: { k: 'v' }, priority: 5 });
    const task = TaskView.parse(await response.json());
    expect(response.headers.get('location')).toBe(`/v1/tasks/${task.id}`);
    expect(task).toMatchObject({ state: 'queued', agent: 'general', model: 'claude-test', tags: ['a'], metadata: { k: 'v' }, priority: 5 });
    const again = await bullpen.call(`/v1/tasks/${task.id}`);
    expect(TaskView.parse(await again.json())).toEqual(task);
  });
});
