/** Work modes during a run: where triggers lead, what the agent is told, what it may use, and where the user is asked. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentDefinition, Json } from '@bullpen/contracts';
import { historyProblems } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition, type ScriptedStep } from '@bullpen/testing';
import { countingTool, crashAt, results, World } from '../../test/loop-world.js';
import { SOME_MACHINE } from '../../test/some-modes.js';
import { fires, walkingModel } from '../../test/walking-model.js';

const signal = (trigger: string, reason = 'It is so.'): ScriptedStep => ({
  toolCalls: [{ name: 'signal', input: { trigger, reason } }],
});
const call = (name: string, input: Json = {}): ScriptedStep => ({ toolCalls: [{ name, input }] });

describe('a task that works in modes', () => {
  let world: World;
  const write = countingTool('write', 'write', 'repeat', () => ({ kind: 'result', output: 'written' }), {
    inspect: (args) =>
      Promise.resolve({
        paths: [{ path: String(args['path'] ?? 'a.ts'), access: 'write', place: 'inside' }],
      }),
  });
  const run = countingTool(
    'run',
    'execute',
    'repeat',
    (args) => {
      const { exitCode = 0, output = '# pass 3\n# fail 0' } = args as { exitCode?: number; output?: string };
      return { kind: 'result', output, exitCode, isError: exitCode !== 0 };
    },
    { inspect: (args) => Promise.resolve({ command: String(args['command'] ?? 'npm test') }) },
  );

  beforeEach(() => {
    world = new World();
    world.tools.push(write, run);
    write.runs.length = run.runs.length = 0;
  });

  function submit(prompt: string, more: Partial<AgentDefinition>, ...script: ScriptedStep[]): MemoryTask {
    world.store.create({
      id: 'task_root',
      prompt,
      definition: aDefinition({
        tools: ['read', 'write', 'run'],
        autonomy: 'agent',
        machine: SOME_MACHINE,
        ...more,
      }),
    });
    world.model.push(...script);
    return world.store.get('task_root');
  }
  const path = (task: MemoryTask) =>
    task.transitions.map(({ from, trigger, to, source }) => `${from} ${trigger} ${to} ${source}`);
  const notes = (task: MemoryTask): string[] =>
    task.messages.flatMap(({ content }) =>
      content.flatMap((block) =>
        block.type === 'text' && block.text.startsWith('Mode: ') ? [block.text] : [],
      ),
    );

  it('goes from mode to mode as the agent fires triggers, and is told of each with the next message', async () => {
    const task = submit(
      'hm',
      {},
      signal('code_intent'),
      call('write', { path: 'a.ts' }),
      signal('code_complete', 'The method is there.'),
      call('run'),
      signal('tests_passed'),
      { text: 'All done.' },
    );
    await world.drain();
    expect(task).toMatchObject({
      state: 'completed',
      outcome: { output: 'All done.' },
      record: { mode: 'idle' },
    });
    const triggers = path(task);
    expect(triggers).toEqual([
      'idle code_intent implementation agent',
      'implementation code_complete test agent',
      'test tests_passed idle agent',
    ]);
    expect(notes(task).map(firstLine)).toEqual([
      'Mode: idle (step 0)',
      'Mode: implementation (step 1)',
      'Mode: test (step 2)',
      'Mode: idle (step 3)',
    ]);
    const inTest = notes(task).find((text) => text.startsWith('Mode: test '));
    expect(inTest).toMatch(/you fired code_complete\. Reason: The method is there\./);
    expect(inTest).toMatch(/This is how test works\./);
    expect(inTest).toMatch(/not yet: tests_passed -> idle\. It needs tests that were run/);
    expect(task.events.filter(({ type }) => type === 'mode.changed').length).toBe(triggers.length);
  });

  it('keeps its tools and its system prompt, byte for byte, whatever the mode', async () => {
    submit('hm', {}, signal('code_intent'), signal('code_complete'), { text: 'So.' });
    await world.drain();
    const heads = world.model.requests.map(({ system, tools }) => JSON.stringify([system, tools]));
    expect(new Set(heads).size).toBe(1);
    expect(heads[0]).toContain('"signal"');
  });

  it('is refused a tool that its mode does not have, with those that it has, and does not run it', async () => {
    const task = submit('hm', {}, call('write'), { text: 'Then not.' });
    await world.drain();
    expect(write.runs).toEqual([]);
    const [refused] = results(task, task.messages.length - 1);
    expect(refused?.error).toBe(true);
    expect(refused?.text).toMatch(/write is not a tool of the work mode idle\. Tools of this mode: read,/);
    expect(refused?.text).toMatch(/search_intent \(to context_navigation\)/);
  });

  it('is told which triggers work when one does not, and why; the refusal is a row, and ends nothing', async () => {
    const task = submit('hm', {}, signal('tests_passed'), { text: 'I see.' });
    await world.drain();
    expect(task.state).toBe('completed');
    expect(task.transitions).toMatchObject([
      { seq: 1, from: 'idle', to: null, outcome: 'refused', refusal: 'idle has no trigger tests_passed.' },
    ]);
    const [answer] = results(task, task.messages.length - 1);
    expect(answer?.text).toContain('Triggers that work now: search_intent, code_intent, error_intent.');
    expect(task.events.some(({ type }) => type === 'mode.refused')).toBe(true);
  });

  it('believes a run of the tests, not the word of the agent', async () => {
    const task = submit(
      'Implement the parser.',
      {},
      call('write'),
      signal('code_complete'),
      signal('tests_passed'),
      call('run', { output: '# pass 2\n# fail 0' }),
      call('write', { path: 'b.ts' }),
      signal('tests_passed', 'They passed before.'),
      call('run', { command: 'npm test || true' }),
      signal('tests_passed', 'They did, surely.'),
      call('run', { command: 'npm test -- --grep nothing', output: '# pass 0\n# fail 0' }),
      signal('tests_passed', 'Nothing failed.'),
      call('run', { command: 'cd lib && npx jest', output: 'Tests:       3 passed, 3 total' }),
      signal('tests_passed', 'Now.'),
      { text: 'Done.' },
    );
    await world.drain();
    const tries = task.transitions.filter(({ trigger }) => trigger === 'tests_passed');
    expect(tries.map(({ outcome }) => outcome)).toEqual([
      'refused',
      'refused',
      'refused',
      'refused',
      'moved',
    ]);
  });

  it('takes the way of a large change when more than five files were changed, however many were looked at', async () => {
    const files = ['1', '2', '3', '4', '5', '5'].map((name) => call('write', { path: name }));
    const task = submit('Implement it.', {}, ...files, signal('code_complete'), { text: 'Done.' });
    await world.drain();
    expect(task.record.mode).toBe('test');

    world = new World();
    world.tools.push(write, run);
    const more = ['1', '2', '3', '4', '5', '6'].map((name) => call('write', { path: name }));
    const large = submit('Implement it.', {}, ...more, signal('code_complete'), { text: 'Done.' });
    await world.drain();
    expect(large.record.mode).toBe('multi_file_editing');
  });

  it.each(['where is the login code?', '로그인 기능 어디 있어?'])(
    'answers a question and changes nothing: %s',
    async (question) => {
      const task = submit(question, {}, call('read'), signal('target_found'), call('write'), {
        text: 'It is in login.ts.',
      });
      await world.drain();
      expect(path(task)).toEqual([
        'idle search_intent context_navigation intent',
        'context_navigation target_found null agent',
      ]);
      expect(task.transitions[1]?.refusal).toMatch(/asked a question and wants nothing changed/);
      expect(write.runs).toEqual([]);
      expect(task).toMatchObject({ state: 'completed', outcome: { output: 'It is in login.ts.' } });
    },
  );

  it('goes back to look again when a person refuses a change, with the words of that person', async () => {
    const task = submit(
      'Implement the logout.',
      { machine: { ...SOME_MACHINE, asks: 'changes' } },
      {
        toolCalls: [
          { name: 'write', input: {} },
          { name: 'write', input: { path: 'b.ts' } },
        ],
      },
      { text: 'I shall look again.' },
    );
    await world.drain();
    expect(task.wait?.reason).toBe('approval');
    const [first, second] = task.interactions;
    world.store.answer('task_root', first?.id ?? '', { decision: 'deny', remarks: 'Not in this file.' });
    world.store.answer('task_root', second?.id ?? '', { decision: 'approve' });
    await world.drain();
    expect(write.runs).toEqual([]);
    expect(path(task).at(-1)).toBe('implementation rejected context_navigation harness');
    expect(notes(task).at(-1)).toMatch(/Reason: .*Not in this file\./);
  });

  it('asks for what its level says, on top of what the policy asks', async () => {
    const asks = async (level: 'nothing' | 'changes' | 'everything') => {
      world = new World();
      world.tools.push(write, run);
      const task = submit(
        'Implement it.',
        { machine: { ...SOME_MACHINE, asks: level } },
        {
          toolCalls: [
            { name: 'write', input: {} },
            { name: 'run', input: {} },
            { name: 'read', input: {} },
          ],
        },
      );
      world.model.push({ text: 'Done.' });
      await world.drain();
      return task.interactions.map(({ payload }) => payload['tool']);
    };
    expect(await asks('nothing')).toEqual([]);
    expect(await asks('changes')).toEqual(['write']);
    expect(await asks('everything')).toEqual(['write', 'run']);
  });

  it('is told of its mode again once its conversation has lost the note', async () => {
    const task = submit(
      'hm',
      { conversation: true },
      signal('code_intent'),
      { text: 'One.' },
      { text: 'Two.' },
    );
    await world.drain();
    expect(notes(task)).toHaveLength(2);
    world.store.rewind('task_root', { turns: 1 });
    world.store.send('task_root', { id: 'again', text: 'hm' });
    await world.drain();
    expect(notes(task).slice(2).map(firstLine)).toEqual(['Mode: implementation (step 1)']);
  });

  describe('that goes round in circles', () => {
    /** Fails its tests and goes back each time. */
    const failing = walkingModel({
      implementation: (visit) => [
        { name: 'write', input: { path: 'a.ts', visit } },
        fires('code_complete', `Change ${visit}.`),
      ],
      test: (visit) => [
        { name: 'run', input: { exitCode: 1, output: `# pass 0\n# fail 1\n${visit}` } },
        fires('test_failed', `Round ${visit}.`),
      ],
    });

    it('asks its user after the fifth round, also when workers died in between, and goes on as the user says', async () => {
      const task = submit('Implement it.', {});
      const revive = crashEach(world, 7);
      for (let lives = 0; lives < 100 && task.state !== 'waiting'; lives += 1) {
        await world.drain(world.deps({ model: failing })).catch(() => undefined);
        if (task.state === 'running') world.store.expire('task_root');
      }
      revive();
      const fired = (name: string) => task.transitions.filter(({ trigger }) => trigger === name);
      expect(fired('test_failed').map(({ outcome }) => outcome)).toEqual(Array<string>(5).fill('moved'));
      expect(fired('code_complete').map(({ outcome }) => outcome)).toEqual([
        ...Array<string>(5).fill('moved'),
        'refused',
      ]);
      expect(task).toMatchObject({
        state: 'waiting',
        wait: { reason: 'answer' },
        record: { mode: 'implementation' },
      });
      const [asked] = task.interactions;
      expect(asked).toMatchObject({ kind: 'mistakes', withdrawn: false });

      const guidance = 'Read the log.';
      world.store.answer('task_root', asked?.id ?? '', { decision: 'continue', guidance });
      world.model.push(signal('code_complete', 'Once more.'), { text: 'Enough.' });
      await world.drain();
      expect(fired('code_complete').at(-1)).toMatchObject({ outcome: 'moved', reason: 'Once more.' });
    });

    it('ends as a loop where nobody can be asked', async () => {
      const task = submit('Implement it.', { autonomy: 'background' });
      await world.drain(world.deps({ model: failing }));
      expect(task.outcome).toMatchObject({ state: 'failed', cause: 'loop' });
      expect(task.outcome?.failure?.message).toMatch(/code_complete has led out of implementation 5 times/);
    });
  });

  it('can be moved by a person while it runs: the agent fires from where that led, and nothing is told twice', async () => {
    const task = submit('hm', {}, signal('code_intent'), { text: 'Done.' });
    const commit = world.store.commit.bind(world.store);
    world.store.commit = async (lease, step) => {
      if (step.transition?.trigger === 'code_intent' && task.transitions.length === 0)
        world.store.transition('task_root', 'error_intent', 'Look at the crash.', 'Mia');
      return commit(lease, step);
    };
    await world.drain();
    expect(path(task)).toEqual(['idle error_intent debug person', 'debug code_intent null agent']);
    expect(task.record.mode).toBe('debug');
    expect(notes(task).at(-1)).toMatch(/the user fired error_intent\. Reason: Look at the crash\./);
  });

  it('does not end without its agent having read that a person has moved it', async () => {
    const task = submit('hm', {}, { text: 'Done.' }, { text: 'Debugged.' });
    let moved = false;
    const commit = world.store.commit.bind(world.store);
    world.store.commit = async (lease, step) => {
      if (step.end?.kind === 'finish' && !moved) {
        moved = true;
        world.store.transition('task_root', 'error_intent', null, 'Mia');
      }
      return commit(lease, step);
    };
    await world.drain();
    expect(task.outcome?.output).toBe('Debugged.');
  });

  it('calls of an answer that was running when its user switched to planning do not start', async () => {
    const twice = [
      { name: 'write', input: { path: 'a.ts' } },
      { name: 'write', input: { path: 'b.ts' } },
    ];
    const switching: ScriptedStep = () => {
      world.store.switchAutonomy('task_root', 'plan');
      return { toolCalls: twice };
    };
    const task = submit('Implement it.', { conversation: true }, switching, (request) => {
      expect(JSON.stringify(request.messages)).toContain('The user switched your autonomy to plan.');
      return { toolCalls: [{ name: 'present_plan', input: { plan: 'Write both.', steps: ['write'] } }] };
    });
    await world.drain();
    expect(write.runs).toEqual([]);
    const refused = [...task.toolCalls.values()].filter(({ tool }) => tool === 'write');
    expect(refused.map(({ status }) => status)).toEqual(['errored', 'errored']);
    expect(refused[0]?.output).toMatch(/write cannot be used in autonomy plan/);
    expect(task.state).toBe('waiting');
  });

  it('no words of the user approve a plan that was sent back', async () => {
    const plan: ScriptedStep = {
      toolCalls: [{ name: 'present_plan', input: { plan: 'Write it.', steps: ['write'] } }],
    };
    const task = submit('hm', { autonomy: 'plan' }, plan, call('write'), plan);
    await world.drain();
    const [first] = task.interactions;
    world.store.answer('task_root', first?.id ?? '', { decision: 'revise', remarks: 'Make a copy first.' });
    world.store.send('task_root', { id: 'go', text: '백업 떠 놨으니까 진행해' });
    await world.drain();
    expect(write.runs).toEqual([]);
    expect(task).toMatchObject({
      state: 'waiting',
      wait: { reason: 'approval' },
      record: { autonomy: 'plan' },
    });
    const plans = task.interactions.filter(({ kind }) => kind === 'plan');
    expect(plans.map(({ answer }) => answer !== null)).toEqual([true, false]);
  });

  it('keeps the mode that a person chose when the worker dies, with one row', async () => {
    const task = submit('Implement it.', {}, call('read'), { text: 'Done.' });
    world.read.run = () => {
      world.store.transition('task_root', 'abandoned', null, 'Mia');
      world.store.transition('task_root', 'error_intent', null, 'Mia');
      throw new Error('the worker dies');
    };
    crashAt(world.store, 4, 'before');
    await world.drain().catch(() => undefined);
    if (task.state === 'running') world.store.expire('task_root');
    world.read.run = () => ({ kind: 'result', output: 'read' });
    await world.drain();
    expect(path(task)).toEqual([
      'idle code_intent implementation intent',
      'implementation abandoned idle person',
      'idle error_intent debug person',
    ]);
    expect(task.record.mode).toBe('debug');
    expect(historyProblems(task.messages.slice(0, -1))).toEqual([]);
  });
});

const firstLine = (text: string) => text.split('\n', 1)[0];

/** The worker dies after every n-th commit, until it is called off. */
function crashEach({ store }: World, every: number): () => void {
  const commit = store.commit.bind(store);
  let count = 0;
  store.commit = async (lease, step) => {
    const result = await commit(lease, step);
    if ((count += 1) % every === 0) throw new Error('crash');
    return result;
  };
  return () => {
    store.commit = commit;
  };
}
