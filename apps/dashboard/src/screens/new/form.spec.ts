import { CreateTask } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import { bodyOf, commandLineOf, curlOf, EMPTY, faultOf, quoted } from './form.js';

describe('a task that is being written', () => {
  it('is sent with what was chosen, and nothing else', () => {
    const form = {
      ...EMPTY,
      prompt: ' Say hello ',
      budget: '2.50',
      tags: 'a, b,',
      place: 'folder' as const,
      folder: '/srv/x',
    };
    expect(bodyOf(form)).toEqual({
      prompt: 'Say hello',
      agent: 'general',
      autonomy: 'agent',
      workspace: { kind: 'path', path: '/srv/x', copy: true },
      limits: { costUsd: '2.50' },
      tags: ['a', 'b'],
    });
    expect(CreateTask.safeParse(bodyOf(form)).success).toBe(true);
  });

  it('says what its modes ask for only when it works in modes', () => {
    const form = { ...EMPTY, prompt: 'x', modeAsks: 'everything' as const };
    expect(bodyOf(form)).not.toHaveProperty('modeAsks');
    const inModes = { ...form, workflow: 'fsm' as const };
    expect(bodyOf(inModes)).toMatchObject({ workflow: 'fsm', modeAsks: 'everything' });
    expect(CreateTask.safeParse(bodyOf(inModes)).success).toBe(true);
    expect(commandLineOf(inModes)).toContain('--workflow fsm \\\n  --mode-asks everything');
    expect(commandLineOf(form)).not.toContain('--mode-asks');
  });

  it('says what is missing or wrong', () => {
    const faults = [
      {},
      { prompt: 'x', input: '{' },
      { prompt: 'x', budget: 'much' },
      { prompt: 'x', turns: '0' },
      { prompt: 'x', place: 'git' as const },
      { prompt: 'x' },
    ].map((part) => faultOf({ ...EMPTY, ...part }));
    expect(faults).toEqual(['nothing', 'input', 'budget', 'turns', 'place', null]);
  });

  it('refuses an input whose numbers would be sent as others', () => {
    expect(faultOf({ ...EMPTY, input: '{"orderId": 7203685477580719301}' })).toBe('input');
    expect(faultOf({ ...EMPTY, input: '{"orderId": "7203685477580719301"}' })).toBeNull();
  });

  it('has an equal command line and an equal curl line', () => {
    const form = {
      ...EMPTY,
      prompt: "Don't stop",
      agent: 'coder',
      place: 'git' as const,
      url: 'https://e.test/x.git',
      ref: 'main',
    };
    expect(commandLineOf(form)).toBe(
      [
        `npx bullpen run 'Don'\\''t stop'`,
        '--agent coder',
        '--autonomy agent',
        '--git https://e.test/x.git',
        '--ref main',
      ].join(' \\\n  '),
    );
    expect(curlOf(form, 'http://localhost:7450')).toContain('"url": "https://e.test/x.git"');
  });

  it('quotes what a shell would take apart', () => {
    expect(['a-b.c', 'a b', '$(x)', ''].map(quoted)).toEqual(['a-b.c', "'a b'", "'$(x)'", "''"]);
  });
});
