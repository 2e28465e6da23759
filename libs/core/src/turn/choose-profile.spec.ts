/** A task whose profile cannot answer goes on with another one, and back. */
import { describe, expect, it } from '@jest/globals';
import type { ModelProfile } from '@bullpen/contracts';
import { World } from '../../test/loop-world.js';
import { OPEN_GATE } from '../decide/open-gate.js';
import { builtInProfile } from '../task/model-facts.js';

const main: ModelProfile = {
  ...builtInProfile('claude-opus-5-5'),
  name: 'main',
  thinking: 'adaptive',
  effort: 'high',
};
const small: ModelProfile = { ...builtInProfile('claude-haiku-4-5'), name: 'small' };
const tiny: ModelProfile = { ...small, name: 'tiny', contextWindow: 1_000, maxOutputTokens: 900 };
const read = { toolCalls: [{ name: 'read' }] };
const limited = { error: { class: 'rate_limit' as const, retryAfterMs: 3_600_000 } };

function worldOf(profiles: readonly ModelProfile[]) {
  const world = new World();
  const submit = (...script: Parameters<World['submit']>[1][]) =>
    world.submit({ model: profiles[0]?.model ?? '', profile: 'main', profiles: [...profiles] }, ...script);
  const asked = () => world.model.requests.map(({ name }) => name);
  return { world, submit, asked };
}
const eventsOf = (task: { events: readonly { type: string; data: unknown }[] }, type: string) =>
  task.events.filter((event) => event.type === type).map(({ data }) => data);

describe('a task with a fallback', () => {
  it('stays on it after one failed call, turn after turn', async () => {
    const { world, submit, asked } = worldOf([main, small]);
    const task = submit(limited, read, read, read, read, { text: 'Done.' });
    await world.drain();
    expect(task.state).toBe('completed');
    expect(asked()).toEqual(['main', 'small', 'small', 'small', 'small', 'small']);
    expect(eventsOf(task, 'profile.switched')).toEqual([
      { from: 'main', to: 'small', by: 'fallback', reason: 'rate_limit' },
    ]);
    expect(task.record.route).toMatchObject({ version: 1, active: 1 });
    expect(world.slept).toEqual([]);
  });

  it('makes each request from one profile alone', async () => {
    const { world, submit } = worldOf([main, small]);
    submit(limited, read, { text: 'Done.' });
    await world.drain();
    expect(
      world.model.requests.map(({ model, effort, thinking, contextWindow }) => [
        model,
        effort,
        thinking,
        contextWindow,
      ]),
    ).toEqual([
      ['claude-opus-5-5', 'high', 'adaptive', 1_000_000],
      ['claude-haiku-4-5', null, 'off', 200_000],
      ['claude-haiku-4-5', null, 'off', 200_000],
    ]);
  });

  it('leaves out what another model has thought, also after the worker was lost, and keeps it in the record', async () => {
    const { world, submit } = worldOf([main, small]);
    const task = submit({ reasoning: 'Hm.', ...read }, limited, read);
    let calls = 0;
    await world.drain(world.deps({ shouldYield: () => (calls += 1) > 30 })).catch(() => undefined);
    const kinds = (at: number) =>
      world.model.requests[at]?.messages.flatMap(({ content }) => content.map(({ type }) => type));
    expect(kinds(1)).toContain('thinking');
    expect(kinds(2)).not.toContain('thinking');
    expect(JSON.stringify(task.messages)).toContain('Hm.');
  });

  it('skips one whose window does not hold the conversation, with the sum', async () => {
    const { world, submit, asked } = worldOf([main, tiny, small]);
    const task = submit(limited, read, { text: 'Done.' });
    await world.drain();
    expect(asked()).toEqual(['main', 'small', 'small']);
    expect(eventsOf(task, 'profile.skipped')).toEqual([
      {
        profile: 'tiny',
        reason: expect.stringMatching(/^The conversation has about \d+ tokens, and tiny takes 100\.$/),
      },
    ]);
  });

  it('comes back to the first one when its time is over', async () => {
    const { world, submit, asked } = worldOf([main, small]);
    const later = () => {
      world.clock += 700_000;
      return read;
    };
    const task = submit(limited, read, later, read, { text: 'Done.' });
    await world.drain();
    expect(asked()).toEqual(['main', 'small', 'small', 'main', 'main']);
    expect(eventsOf(task, 'profile.switched')).toMatchObject([
      { by: 'fallback' },
      { by: 'return', to: 'main' },
    ]);
    expect(task.record.route).toMatchObject({ active: 0, until: null });
  });

  it('keeps its row as it is until another profile has answered', async () => {
    const { world, submit } = worldOf([main, small]);
    const broken = { error: { class: 'request' as const } };
    const task = submit(limited, broken);
    await world.drain();
    expect([task.state, task.record.route]).toEqual(['failed', null]);
  });

  it('goes on where the first one refuses, if that says so; what was refused is paid for and runs nothing', async () => {
    const { world, submit, asked } = worldOf([{ ...main, fallbackOnRefusal: true }, small]);
    const task = submit({ ...read, stopReason: 'refusal' }, read, { text: 'Done.' });
    await world.drain();
    expect([task.state, asked(), world.read.runs.length, task.usage.length]).toEqual([
      'completed',
      ['main', 'small', 'small'],
      1,
      3,
    ]);
  });

  it('is refused where every profile refuses', async () => {
    const { world, submit } = worldOf([
      { ...main, fallbackOnRefusal: true },
      { ...small, fallbackOnRefusal: true },
    ]);
    const no = { text: 'No.', stopReason: 'refusal' };
    const task = submit(no, no);
    await world.drain();
    expect(task.outcome).toMatchObject({ cause: 'refused' });
  });

  it('with an endpoint of its own neither waits for the shared key nor parks it', async () => {
    const own = { ...main, baseUrl: 'http://127.0.0.1:1' };
    const { world, submit } = worldOf([own]);
    const task = submit({ error: { class: 'authentication', message: 'no key' } });
    const told: string[] = [];
    const gate = {
      ...OPEN_GATE,
      look: () => ({ kind: 'parked', errorClass: 'billing', message: 'of another' }) as const,
      park: (errorClass: string) => Promise.resolve(void told.push(errorClass)),
    };
    await world.drain(world.deps({ gate }));
    expect([task.state, world.model.requests.length, told]).toEqual(['failed', 1, []]);
  });
});

it('a request that a switch overtakes is not sent: name, address and limits of one come from one profile', async () => {
  const { world, submit, asked } = worldOf([main]);
  const task = submit(read, { text: 'Done.' });
  const commit = world.store.commit.bind(world.store);
  let commits = 0;
  world.store.commit = (lease, step) => {
    const begun = step.modelCalls.some(({ status }) => status === 'started');
    if (begun && (commits += 1) === 1)
      Object.assign(task.record, {
        route: { version: 1, profiles: [small], active: 0, since: 2, until: null },
      });
    return commit(lease, step);
  };
  await world.drain();
  expect([task.state, asked()]).toEqual(['completed', ['small', 'small']]);
  expect([...task.modelCalls.values()][0]).toMatchObject({
    status: 'abandoned',
    errorMessage: 'Not sent: the task was switched to another model profile.',
  });
});
