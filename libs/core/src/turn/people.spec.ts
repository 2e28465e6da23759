import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentDefinition, Json } from '@bullpen/contracts';
import { runTask, success } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition, type ScriptedStep } from '@bullpen/testing';
import { countingTool, crashAt, never, results, World } from '../../test/loop-world.js';

const asking = (more: Partial<AgentDefinition> = {}): Partial<AgentDefinition> => ({
  autonomy: 'agent',
  approvals: { ...aDefinition().approvals, alwaysAllowExecute: false },
  ...more,
});

describe('a task that people answer for', () => {
  let world: World;

  beforeEach(() => {
    world = new World();
  });

  const pending = (task: MemoryTask) =>
    task.interactions.filter(({ answer, withdrawn }) => answer === null && !withdrawn);
  const act = (args: Json = {}, name = 'act') => ({ name, input: args });

  describe('at a call that needs consent', () => {
    it('waits, holding nothing, and runs the call once it is approved', async () => {
      const task = world.submit(asking(), { toolCalls: [act({ n: 1 })] }, { text: 'Done.' });
      expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
      expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'approval' }, workerId: null });
      expect(pending(task)).toMatchObject([
        { kind: 'approval', payload: { tool: 'act', arguments: { n: 1 } } },
      ]);
      expect(world.act.runs).toEqual([]);

      expect(world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'approve' })).toBe(true);
      await world.drain();

      expect(world.act.runs).toEqual([{ n: 1 }]);
      expect(task).toMatchObject({ state: 'completed', outcome: { cause: 'goal' } });
      expect([...task.toolCalls.values()]).toMatchObject([
        { status: 'done', approval: { verdict: 'approve', by: 'user', hash: task.interactions[0]?.hash } },
      ]);
    });

    it('tells the model of a refusal and its remarks, and goes on', async () => {
      const task = world.submit(asking(), { toolCalls: [act()] }, { text: 'Then not.' });
      await world.drain();
      world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'deny', remarks: 'Use read.' });
      await world.drain();
      expect(world.act.runs).toEqual([]);
      expect(results(task, 3)).toMatchObject([{ error: true, text: expect.stringContaining('Use read.') }]);
      expect(task).toMatchObject({ state: 'completed' });
    });

    it('runs with the arguments that the approver gave, and tells the model so', async () => {
      const task = world.submit(asking(), { toolCalls: [act({ n: 1 })] }, { text: 'Done.' });
      await world.drain();
      world.store.answer('task_root', pending(task)[0]?.id ?? '', {
        decision: 'approve',
        arguments: { n: 2 },
      });
      await world.drain();
      expect(world.act.runs).toEqual([{ n: 2 }]);
      expect(results(task, 3)[0]?.text).toMatch(/changed the arguments.*\{"n":2\}/);
      expect([...task.toolCalls.values()]).toMatchObject([{ arguments: { n: 2 }, rawArguments: '{"n":1}' }]);
    });

    it('that a crash cuts off is told to the model in the form in which it ran, with the remark', async () => {
      const task = world.submit(asking(), { toolCalls: [act({ n: 1 })] }, { text: 'I shall look.' });
      await world.drain();
      world.store.answer('task_root', pending(task)[0]?.id ?? '', {
        decision: 'approve',
        arguments: { n: 2 },
        remarks: 'Two, please.',
      });
      crashAt(world.store, 1, 'after'); // Its start is stored, and nothing behind it.
      await expect(world.drain()).rejects.toThrow('crash');
      world.store.expire('task_root');
      await world.drain();
      expect(results(task, 3)[0]?.text).toMatch(/ran with: \{"n":2\}[^]*Two, please\.[^]*was not run again/);
      expect(task).toMatchObject({ state: 'completed' });
    });

    it('that is interrupted is told to the model in the form in which it ran, too', async () => {
      const task = world.submit(asking(), { toolCalls: [act({ n: 1 })] }, { text: 'I shall look.' });
      await world.drain();
      const answer = { decision: 'approve', arguments: { n: 2 } } as const;
      world.store.answer('task_root', pending(task)[0]?.id ?? '', answer);
      crashAt(world.store, 1, 'after');
      await expect(world.drain()).rejects.toThrow('crash');
      world.store.expire('task_root');
      world.store.interrupt('task_root', { id: 'inbox_1', text: 'Leave it.' });
      await world.drain();
      expect(results(task, 3)[0]?.text).toMatch(/ran with: \{"n":2\}[^]*interrupt/);
    });

    it('counts the first of two answers only, and none that comes after the end', async () => {
      const task = world.submit(asking(), { toolCalls: [act()] }, { text: 'Done.' });
      await world.drain();
      const id = pending(task)[0]?.id ?? '';
      expect(world.store.answer('task_root', id, { decision: 'deny' })).toBe(true);
      expect(world.store.answer('task_root', id, { decision: 'approve' })).toBe(false);
      await world.drain();
      expect(world.act.runs).toEqual([]);
      expect(world.store.answer('task_root', id, { decision: 'approve' })).toBe(false);
    });

    it('takes the declared default when nobody answers in time', async () => {
      const asks = { inBackground: 'deny', expiresAfterMs: 60_000, onExpiry: 'deny' } as const;
      const task = world.submit(asking({ asks }), { toolCalls: [act()] }, { text: 'Without, then.' });
      await world.drain();
      world.store.expireInteraction('task_root', pending(task)[0]?.id ?? '');
      await world.drain();
      expect(results(task, 3)[0]?.text).toContain('Nobody approved this call in time');
      expect(task).toMatchObject({ state: 'completed' });
    });

    it('asks for all calls of a turn at once, and takes the answers in any order', async () => {
      const task = world.submit(
        asking(),
        { toolCalls: [act({ n: 1 }), act({ n: 2 }), { name: 'read' }, act({ n: 3 })] },
        { text: 'Done.' },
      );
      await world.drain();
      const ids = pending(task).map(({ id }) => id);
      expect(ids).toHaveLength(3);

      world.store.answer('task_root', ids[2] ?? '', { decision: 'approve' });
      await world.drain();
      expect(world.act.runs).toEqual([]); // The order of the calls stays.
      world.store.answer('task_root', ids[0] ?? '', { decision: 'approve' });
      await world.drain();
      expect(world.act.runs).toEqual([{ n: 1 }]);
      world.store.answer('task_root', ids[1] ?? '', { decision: 'deny' });
      await world.drain();

      expect(world.act.runs).toEqual([{ n: 1 }, { n: 3 }]);
      expect(task.interactions).toHaveLength(3);
      expect(results(task, 3).map(({ error }) => error)).toEqual([false, true, false, false]);
    });

    it('never takes a message for consent', async () => {
      const task = world.submit(asking(), { toolCalls: [act()] }, { text: 'Done.' });
      await world.drain();
      world.store.send('task_root', { id: 'inbox_1', text: 'yes, approve it' });
      await world.drain();
      expect(task).toMatchObject({ state: 'waiting', inbox: [{ delivered: false }] });
      expect(world.act.runs).toEqual([]);
      world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'deny' });
      await world.drain();
      expect(task.inbox).toMatchObject([{ delivered: true }]);
      expect(world.act.runs).toEqual([]);
    });

    it('asks anew when what would run is not what was approved', async () => {
      let target = '/a';
      const inspect = () =>
        Promise.resolve({ paths: [{ path: target, access: 'write' as const, place: 'inside' as const }] });
      const write = countingTool('write', 'execute', 'report', () => success('written'), { inspect });
      world.tools = [write];
      const task = world.submit(
        asking({ tools: ['write'] }),
        { toolCalls: [act({}, 'write')] },
        { text: 'Done.' },
      );
      await world.drain();
      world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'approve' });
      target = '/b'; // A link was turned meanwhile.
      await world.drain();
      expect(write.runs).toEqual([]);
      expect(pending(task)).toMatchObject([{ payload: { paths: [{ path: '/b' }] } }]);
      world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'approve' });
      await world.drain();
      expect(write.runs).toHaveLength(1);
    });

    it('shows what would change to whoever is asked, and works that out for nobody else', async () => {
      let looked = 0;
      const preview = () => {
        looked += 1;
        return looked === 1 ? Promise.resolve('+one') : Promise.reject(new Error('gone'));
      };
      const write = countingTool('write', 'execute', 'report', () => success('written'), { preview });
      world.tools = [write];
      const calls = { toolCalls: [act({ n: 1 }, 'write'), act({ n: 2 }, 'write')] };
      const task = world.submit(asking({ tools: ['write'] }), calls, { text: 'Done.' });
      await world.drain();
      expect(pending(task).map(({ payload }) => payload['diff'])).toEqual(['+one', undefined]);
      for (const { id } of pending(task)) world.store.answer('task_root', id, { decision: 'approve' });
      await world.drain();
      expect(write.runs).toHaveLength(2);

      world = new World();
      world.tools = [write];
      world.submit({ tools: ['write'] }, calls, { text: 'Done.' });
      await world.drain();
      expect(looked).toBe(2);
    });

    it('is refused in background, where nobody can be asked, unless the task says that it waits', async () => {
      const task = world.submit(
        asking({ autonomy: 'background' }),
        { toolCalls: [act()] },
        { text: 'Could not.' },
      );
      await world.drain();
      expect(task.interactions).toEqual([]);
      expect(results(task, 3)[0]?.text).toContain('Nobody can be asked');

      world = new World();
      const asks = { ...aDefinition().asks, inBackground: 'wait' as const };
      const waiting = world.submit(asking({ autonomy: 'background', asks }), { toolCalls: [act()] });
      await world.drain();
      expect(waiting).toMatchObject({ state: 'waiting', wait: { reason: 'approval' } });
    });

    it('is withdrawn by an interrupt, and a late answer starts nothing', async () => {
      const task = world.submit(asking(), { toolCalls: [act()] }, { text: 'Something else.' });
      await world.drain();
      const id = pending(task)[0]?.id ?? '';
      world.store.interrupt('task_root', { id: 'inbox_1', text: 'Stop that.' });
      await world.drain();
      expect(task.interactions).toMatchObject([{ withdrawn: true }]);
      expect(world.store.answer('task_root', id, { decision: 'approve' })).toBe(false);
      expect(world.act.runs).toEqual([]);
      expect(task).toMatchObject({ state: 'completed' });
    });

    it('looks again when the autonomy is switched while it waits', async () => {
      const task = world.submit(asking(), { toolCalls: [act()] }, { text: 'Could not.' });
      await world.drain();
      world.store.switchAutonomy('task_root', 'background');
      await world.drain();
      expect(pending(task)).toEqual([]);
      expect(results(task, 3)[0]?.text).toContain('Nobody can be asked');
      expect(world.model.requests.at(-1)?.messages.at(-1)).toMatchObject({
        content: [{}, { text: expect.stringContaining('switched your autonomy to background') }],
      });
    });
  });

  describe('when everything dies around an approval', () => {
    const script: ScriptedStep[] = [{ toolCalls: [act({ n: 1 })] }, { text: 'Done.' }];

    for (const when of ['before', 'after'] as const)
      for (const decision of ['approve', 'deny'] as const)
        it(`${decision} counts once, and is asked for once (crash ${when} a commit)`, async () => {
          for (let n = 1; n <= 8; n += 1) {
            world = new World();
            const task = world.submit(asking());
            for (let answers = 0; answers < 20; answers += 1)
              world.model.push((request) => {
                const step = script[request.messages.filter(({ role }) => role === 'assistant').length];
                return typeof step === 'object' ? step : { text: 'Done.' };
              });
            crashAt(world.store, n, when);
            for (let round = 0; round < 12 && task.outcome === null; round += 1) {
              const lease = await world.store.claimNext('worker_1');
              if (lease) {
                const crashed = await runTask(lease, world.deps(), never).then(
                  () => false,
                  () => true,
                );
                if (crashed) world.store.expire(lease.taskId);
              }
              for (const { id } of pending(task)) world.store.answer('task_root', id, { decision });
            }
            const at = `crash ${when} commit ${n}`;
            expect([at, task.outcome?.state]).toEqual([at, 'completed']);
            expect([at, task.interactions.length]).toEqual([at, 1]);
            const runs = world.act.runs.length;
            expect([at, decision === 'approve' ? runs <= 1 : runs === 0]).toEqual([at, true]);
          }
        });
  });

  describe('at a question', () => {
    const ask = (args: Record<string, Json>) => ({ toolCalls: [{ name: 'ask_user', input: args }] });
    const tools = ['ask_user', 'act'];

    it('waits for the answer and gives it to the model; the answer approves nothing', async () => {
      const options = [{ label: 'npm' }, { label: 'pnpm' }];
      const task = world.submit(
        asking({ tools }),
        ask({ question: 'Which one?', options }),
        { toolCalls: [act({ with: 'npm' })] },
        { text: 'Done.' },
      );
      await world.drain();
      expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'answer' } });
      expect(pending(task)).toMatchObject([
        { kind: 'question', payload: { options, multiple: false, freeText: true } },
      ]);
      world.store.answer('task_root', pending(task)[0]?.id ?? '', { choices: ['npm'] });
      await world.drain();
      expect(results(task, 3)).toMatchObject([{ text: 'The user chose: npm', error: false }]);
      expect(world.act.runs).toEqual([]);
      expect(pending(task)).toMatchObject([{ kind: 'approval' }]);
    });

    it('asks several at once, answered in any order', async () => {
      const task = world.submit(
        asking({ tools }),
        { toolCalls: ['One?', 'Two?'].map((question) => ({ name: 'ask_user', input: { question } })) },
        { text: 'Done.' },
      );
      await world.drain();
      const [first, second] = pending(task).map(({ id }) => id);
      world.store.answer('task_root', second ?? '', { text: 'two' });
      await world.drain();
      world.store.answer('task_root', first ?? '', { text: 'one' });
      await world.drain();
      expect(results(task, 3).map(({ text }) => text)).toEqual([
        'The user answered: one',
        'The user answered: two',
      ]);
    });

    it('is told to decide by itself when there is nobody', async () => {
      const task = world.submit({ tools }, ask({ question: 'Which one?' }), { text: 'npm, I assume.' });
      await world.drain();
      expect(results(task, 3)).toMatchObject([
        { error: false, text: expect.stringContaining('state your assumption') },
      ]);
    });
  });

  describe('in plan', () => {
    const plan = { name: 'present_plan', input: { plan: 'First look.', steps: ['Look', 'Act'] } };

    it('cannot act, presents a plan, and acts once it is accepted', async () => {
      const task = world.submit(
        { autonomy: 'plan' },
        { toolCalls: [act()] },
        { toolCalls: [plan] },
        { toolCalls: [act({ step: 2 })] },
        { text: 'Done.' },
      );
      await world.drain();
      expect(results(task, 3)[0]?.text).toContain('cannot be used in autonomy plan');
      expect(pending(task)).toMatchObject([
        { kind: 'plan', payload: { version: 1, steps: ['Look', 'Act'] } },
      ]);
      expect(world.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['read', 'present_plan']);

      world.store.answer('task_root', pending(task)[0]?.id ?? '', {
        decision: 'accept',
        autonomy: 'background',
      });
      await world.drain();
      expect(results(task, 5)).toMatchObject([
        {
          error: false,
          text: expect.stringContaining('The user accepted the plan. Your autonomy is now background'),
        },
      ]);
      expect(world.act.runs).toEqual([{ step: 2 }]);
      expect(task.record.todos).toEqual([
        { text: 'Look', status: 'pending' },
        { text: 'Act', status: 'pending' },
      ]);
      expect(task).toMatchObject({ state: 'completed', record: { autonomy: 'background' } });
    });

    it('presents a new version when the plan comes back with remarks', async () => {
      const task = world.submit({ autonomy: 'plan' }, { toolCalls: [plan] }, { toolCalls: [plan] });
      await world.drain();
      world.store.answer('task_root', pending(task)[0]?.id ?? '', {
        decision: 'revise',
        remarks: 'Test first.',
      });
      await world.drain();
      expect(results(task, 3)[0]?.text).toContain('Test first.');
      expect(pending(task)).toMatchObject([{ kind: 'plan', payload: { version: 2 } }]);
      expect(new Set(task.interactions.map(({ hash }) => hash)).size).toBe(2);
    });

    it('asks for the plan as a plan when it comes in words', async () => {
      const task = world.submit({ autonomy: 'plan' }, { text: 'I would look first.' }, { toolCalls: [plan] });
      await world.drain();
      expect(world.model.requests[1]?.toolChoice).toEqual({ type: 'tool', name: 'present_plan' });
      expect(pending(task)).toMatchObject([{ kind: 'plan' }]);
    });
  });

  it('in chat answers, waits for the next message, and has no tools', async () => {
    const task = world.submit({ autonomy: 'chat' }, { text: 'Hello.' }, { text: 'Fine.' });
    await world.drain();
    expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'message' } });
    world.store.send('task_root', { id: 'inbox_1', text: 'How are you?' });
    await world.drain();
    expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'message' } });
    expect(task.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(task.messages[2]?.content).toEqual([{ type: 'text', text: 'How are you?' }]);
    expect(world.model.requests.every(({ tools }) => tools.length === 0)).toBe(true);
  });

  it('in chat ends at its limit, however many words are left to say', async () => {
    const limits = { ...aDefinition().limits, turns: 1 };
    const task = world.submit({ autonomy: 'chat', limits }, { text: 'Hello.' }, { text: 'That was all.' });
    await world.drain();
    world.store.send('task_root', { id: 'inbox_1', text: 'Go on.' });
    await world.drain();
    expect(task).toMatchObject({ state: 'failed', outcome: { cause: 'turn_limit', partial: true } });
  });

  it('asks what to do when the agent is stuck, and goes on with the advice', async () => {
    const fails = countingTool('act', 'execute', 'report', () => ({
      kind: 'result',
      output: 'no',
      isError: true,
    }));
    world.tools = [fails];
    const stuck = Array.from({ length: 6 }, (_, n) => ({ toolCalls: [act({ n })] }));
    const task = world.submit({ autonomy: 'agent', tools: ['act'] }, ...stuck, { text: 'Thanks.' });
    await world.drain();
    expect(pending(task)).toMatchObject([{ kind: 'mistakes', callId: null }]);
    world.store.answer('task_root', pending(task)[0]?.id ?? '', {
      decision: 'continue',
      guidance: 'Read the manual.',
    });
    await world.drain();
    expect(task).toMatchObject({ state: 'completed', record: { mistakes: 0 } });
    expect(JSON.stringify(world.model.requests.at(-1)?.messages.at(-1))).toContain('Read the manual.');
  });

  it('withdraws what it asked about itself when it ends without the answer', async () => {
    const fails = countingTool('act', 'execute', 'report', () => ({
      kind: 'result',
      output: 'no',
      isError: true,
    }));
    world.tools = [fails];
    const stuck = Array.from({ length: 6 }, (_, n) => ({ toolCalls: [act({ n })] }));
    const task = world.submit({ autonomy: 'agent', tools: ['act'] }, ...stuck);
    await world.drain();
    expect(pending(task)).toMatchObject([{ kind: 'mistakes' }]);
    world.store.switchAutonomy('task_root', 'background');
    await world.drain();
    expect(task).toMatchObject({ state: 'failed', outcome: { cause: 'mistakes' } });
    expect(pending(task)).toEqual([]);
    expect(task.events.filter(({ type }) => type === 'interaction.closed')).toHaveLength(1);
  });

  it('withdraws what it asked about itself when it goes on with another turn without the answer', async () => {
    const limits = { ...aDefinition().limits, costUsd: '0.000001' };
    const task = world.submit({ autonomy: 'agent', limits }, { text: 'Done.' });
    await world.drain();
    expect(pending(task)).toMatchObject([{ kind: 'budget' }]);
    world.store.account('task_root').limit = null; // Another task of the tree was given more.
    world.store.interrupt('task_root', { id: 'inbox_1', text: 'Go on.' });
    await world.drain();
    expect(task).toMatchObject({ state: 'completed' });
    expect(pending(task)).toEqual([]);
    expect(task.events.filter(({ type }) => type === 'interaction.closed')).toHaveLength(1);
  });

  it('asks for more money when the budget is used up, and goes on with it', async () => {
    const limits = { ...aDefinition().limits, costUsd: '0.000001' };
    const task = world.submit({ autonomy: 'agent', limits }, { text: 'Done.' });
    await world.drain();
    expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'budget' } });
    expect(pending(task)).toMatchObject([{ kind: 'budget', payload: { limitUsd: '0.000001' } }]);
    world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'raise', limitUsd: '5' });
    await world.drain();
    expect(task).toMatchObject({ state: 'completed' });
  });

  it('ends at its budget when nobody gives more', async () => {
    const limits = { ...aDefinition().limits, costUsd: '0.000001' };
    const task = world.submit({ autonomy: 'agent', limits });
    await world.drain();
    world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'stop' });
    await world.drain();
    expect(task).toMatchObject({ state: 'failed', outcome: { cause: 'cost_limit' } });
  });
});
