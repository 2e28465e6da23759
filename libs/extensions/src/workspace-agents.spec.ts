import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { problemText } from './problem.js';
import { workspaceAgents } from './workspace-agents.js';

const head = (name: string, more = '') => `---\nname: ${name}\ndescription: Helps.\n${more}---\nYou help.\n`;
const parse = (...texts: string[]) => {
  const files = texts.map((text, at) => ({ path: `.bullpen/agents/${at}.md`, text }));
  const context = { toolNames: ['read_file'], schemaIssues: () => [] };
  const { agents, problems } = workspaceAgents(files, ['general'], context);
  return {
    agents,
    problems: problems.map(problemText).map((text) => text.replaceAll('.bullpen/agents/', '')),
  };
};

describe('agents of a workspace', () => {
  it('are read with the digest of their files, also with Windows lines and a byte order mark', () => {
    const text = `\ufeff${head('a', 'tools: [read_file]\n').replaceAll('\n', '\r\n')}`;
    expect(parse(text)).toMatchObject({
      agents: [
        {
          ...{ name: 'a', tools: ['read_file'], systemPrompt: 'You help.' },
          file: { path: '.bullpen/agents/0.md', sha256: createHash('sha256').update(text).digest('hex') },
        },
      ],
      problems: [],
    });
  });

  it('never take the name of an agent of the installation, or of each other, and leave the others alone', () => {
    const { agents, problems } = parse(head('general'), head('a'), head('a'), head('b'));
    expect(agents.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(problems).toEqual([
      '0.md:2: name: general is the name of an agent of this installation; choose another',
      '2.md:2: name: a is the name of the agent in .bullpen/agents/1.md; choose another'.replace(
        '.bullpen/agents/',
        '',
      ),
    ]);
  });

  it.each([
    ['a model', head('a', 'model: claude-fable-5-1\n'), '0.md:4: model: is for whoever starts the task'],
    ['a profile', head('a', 'profile: local\n'), '0.md:4: profile: is for whoever starts the task'],
    ['patience', head('a', 'retry: { taskAttempts: 99 }\n'), '0.md:4: retry: is for whoever starts the task'],
    [
      'a tool that is not there',
      head('a', 'tools: [read_file, sudo]\n'),
      '0.md:4: tools: there is no tool sudo',
    ],
    ['a word instead of tools', head('a', 'tools: all\n'), '0.md:4: tools: '],
    ['another setting', head('a', 'allowedTools: read_file\n'), '0.md:4: there is no setting allowedTools'],
    ['YAML that is none', '---\nname: [a\n---\nYou.', '0.md:'],
    ['a colon without quotes', '---\nname: a\ndescription: logs: errors\n---\nYou.', '0.md:3: is not YAML'],
    ['a tag of YAML', '---\nname: !!js/function "x"\ndescription: d\n---\nYou.', '0.md:'],
    [
      'aliases that unfold without end',
      `---\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d]\n---\nYou.`,
      '0.md:1: is not YAML',
    ],
    ['no front matter', 'You help.', '0.md:1: does not begin with front matter'],
    ['no prompt', '---\nname: a\ndescription: d\n---\n', '0.md: has no text below'],
    ['the name of a prototype', head('__proto__'), '0.md:2: name'],
  ])('with %s are left out, with the line', (_, text, problem) => {
    const { agents, problems } = parse(text);
    expect(agents).toEqual([]);
    expect(problems.join('\n')).toContain(problem);
  });
});
