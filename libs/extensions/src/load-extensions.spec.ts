import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_RETRY, NO_RULES, type AgentDefinition } from '@bullpen/contracts';
import { ALL_APPROVALS, APPROVAL_LEVELS, DEFAULT_LIMITS } from '@bullpen/core';
import { builtInAgents, checkAgents, loadExtensions, problemText } from './index.js';
import { type Extensions } from './load-extensions.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-extensions-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Writes a file below the home and gives its path. */
function write(name: string, content: string | Buffer, mode = 0o644): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

const agent = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does things.\n${more}---\nYou do things.\n`;

function load(modules: readonly string[] = []): Promise<Extensions> {
  return loadExtensions({
    home,
    modules,
    builtInTools: builtInAgents().flatMap(({ tools }) => tools),
    loadMs: 500,
    schemaIssues: ({ type }) => (type === 'broken' ? ['not a usable JSON Schema'] : []),
  });
}

/** The agents that were added, and the problems with places relative to the home. */
async function added(modules?: readonly string[]) {
  const { agents, tools, problems } = await load(modules);
  const shipped = builtInAgents().length;
  return {
    names: [...agents.slice(shipped), ...tools].map(({ name }) => name),
    problems: problems.map((problem) => problemText(problem).replaceAll(`${home}/`, '')),
  };
}

describe('the agents that ship', () => {
  it('are byte for byte what they were: providers have their prompts in their caches', async () => {
    const digest = ({
      profile: _name,
      profiles: _chain,
      helperProfile: _helper,
      helper: _none,
      keepBodies: _bodies,
      file: _file,
      workspaceAgents: _given,
      ...seen
    }: AgentDefinition) => {
      const sorted = Object.entries(seen).sort(([a], [b]) => (a < b ? -1 : 1));
      return createHash('sha256')
        .update(JSON.stringify(Object.fromEntries(sorted)))
        .digest('hex');
    };
    expect(builtInAgents().map((one) => [one.name, digest(one)])).toEqual([
      ['general', '2a6c0d7d6cac955fcad0f180a5199fc914f37d32a7036c0c317ce7a9c672ea7b'],
      ['explorer', 'cbc89d3d433b904a950227173ae13dd0d14f36e21251f6c506a67346a1e1681f'],
      ['survey-lead', '52c6e98e049e05f38f8e7dcee13958fd59a8c5f7c957fdf0a779364d9f30fa8d'],
      ['survey-reader', 'b0a26329d8b3e956bd6c6fd5815562aaea73b88bd73073afa18df61bf68633ce'],
    ]);
  });

  it('are all there is in a home without extensions', async () => {
    const { agents, sources, problems } = await loadExtensions({
      home: join(home, 'not-there-yet'),
      modules: [],
      builtInTools: builtInAgents().flatMap(({ tools }) => tools),
      schemaIssues: () => [],
    });
    expect(problems).toEqual([]);
    expect(agents).toEqual(builtInAgents());
    expect(sources.get('explorer')).toEqual({ kind: 'built-in', name: 'agents/explorer.md' });
  });
});

describe('an agent file', () => {
  it('has the same description however that is written in YAML', async () => {
    const text = 'Use for logs: errors and timings';
    const ways = [
      `description: "${text}"`,
      `description:\n  '${text}'`,
      `description: >\n  ${text}`,
      `description: |\n  ${text}`,
      `description: >-\n  Use for logs:\n  errors and timings`,
    ];
    const head = (way: string) => `---\nname: a\n${way}\n---\nYou.\n`;
    const files = ways.flatMap((way) => [
      head(way),
      head(way).replaceAll('\n', '\r\n'),
      `\ufeff${head(way)}`,
    ]);
    for (const file of files) {
      write('extensions/agents/a.md', file);
      const { agents, problems } = await load();
      expect([problems, agents.at(-1)?.description]).toEqual([[], text]);
    }
  });

  it.each([
    [
      'description: Use for logs: errors and timings',
      ':3: is not YAML: .*put a text that has a colon in it into quotes',
    ],
    [
      'description: x\nallowedTools: read_file',
      ':4: there is no setting allowedTools; it is called tools here',
    ],
    [
      'description: x\nallowed-tools: [read_file]',
      ':4: there is no setting allowed-tools; it is called tools here',
    ],
    [
      'description: x\nprompt: Do it.',
      ':4: there is no setting prompt; the text below the front matter is the system prompt',
    ],
    ['description: x\ntools: all', ':4: tools: must be a list, .* no word stands for all'],
    ['description: x\ntools: [all]', ':4: tools: there is no tool all'],
    ['description: x\nTools: []', ':4: there is no setting Tools; did you mean tools?'],
  ])('is refused as a whole, with the line and the way out, for %j', async (lines, expected) => {
    write('extensions/agents/a.md', `---\nname: a\n${lines}\n---\nYou.\n`);
    const { names, problems } = await added();
    expect(names).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(expected.replaceAll('?', '\\?'))]);
  });

  it('is checked before it is put anywhere, alone or with its whole folder', () => {
    const toolNames = builtInAgents().flatMap(({ tools }) => tools);
    const context = { toolNames, schemaIssues: () => [] };
    const good = write('new/good.md', agent('good', 'tools: [read_file]\n'));
    write('new/bad.md', agent('bad', 'tools: [red_file]\n'));
    expect(checkAgents(good, context)).toMatchObject({ agents: [{ name: 'good' }], problems: [] });
    const all = checkAgents(join(home, 'new'), context);
    expect(all.agents.map(({ name }) => name)).toEqual(['good']);
    expect(all.problems).toMatchObject([{ file: join(home, 'new/bad.md'), line: 4 }]);
    expect(checkAgents(join(home, 'none'), context).problems).toMatchObject([{ message: 'does not exist' }]);
    const taken = write('taken.md', agent('general'));
    expect(checkAgents(taken, context).problems).toMatchObject([
      { message: expect.stringContaining('ships with Bullpen') },
    ]);
  });

  it('needs only a name, a description and a prompt', async () => {
    write('extensions/agents/reviewer.md', agent('reviewer'));
    const { agents, sources } = await load();
    expect(agents.at(-1)).toEqual({
      name: 'reviewer',
      description: 'Does things.',
      systemPrompt: 'You do things.',
      model: '',
      profile: null,
      profiles: [],
      helperProfile: null,
      helper: null,
      maxOutputTokens: 16_000,
      tools: [],
      autonomy: 'background',
      condense: true,
      conversation: false,
      approvals: ALL_APPROVALS,
      rules: NO_RULES,
      asks: { inBackground: 'deny', expiresAfterMs: null, onExpiry: 'deny' },
      limits: DEFAULT_LIMITS,
      retry: DEFAULT_RETRY,
      inputSchema: null,
      outputSchema: null,
      file: null,
      workspaceAgents: [],
      keepBodies: false,
    });
    expect(sources.get('reviewer')).toEqual({ kind: 'file', name: 'agents/reviewer.md' });
  });

  it('sets what it names and leaves the rest as it is usual', async () => {
    const more = [
      'model: claude-opus-5-5',
      'tools: [write_file, read_file]',
      'autonomy: agent',
      'approvals: { alwaysAllowExecute: false }',
      'rules: { commands: { allow: [npm test] } }',
      'asks: { inBackground: wait }',
      'limits: { turns: 5, costUsd: "0.50" }',
      'retry: { taskAttempts: 1 }',
      'outputSchema: { type: object }',
    ];
    write('extensions/agents/a.md', agent('a', `${more.join('\n')}\n`));
    expect((await load()).agents.at(-1)).toMatchObject({
      model: 'claude-opus-5-5',
      tools: ['write_file', 'read_file'],
      approvals: { ...ALL_APPROVALS, alwaysAllowExecute: false },
      rules: { ...NO_RULES, commands: { allow: ['npm test'], deny: [], exceptions: [] } },
      asks: { inBackground: 'wait', onExpiry: 'deny' },
      limits: { ...DEFAULT_LIMITS, turns: 5, costUsd: '0.50' },
      retry: { ...DEFAULT_RETRY, taskAttempts: 1 },
      outputSchema: { type: 'object' },
    });
  });

  it('may name a level of approvals', async () => {
    write('extensions/agents/a.md', agent('a', 'approvals: medium\n'));
    expect((await load()).agents.at(-1)?.approvals).toEqual(APPROVAL_LEVELS.medium);
  });

  it('keeps the prompt as it was written but for the empty lines around it, whatever ends its lines', async () => {
    const text = agent('a').replace('You do things.', '\n  # You\n\n---\n\ndo  things\\n  \n');
    write('extensions/agents/a.md', `\u{FEFF}${text.replaceAll('\n', '\r\n')}`);
    expect((await load()).agents.at(-1)?.systemPrompt).toBe('  # You\n\n---\n\ndo  things\\n');
  });

  it('is found through a link', async () => {
    symlinkSync(
      write('elsewhere/a.md', agent('a')),
      (mkdirSync(join(home, 'extensions/agents'), { recursive: true }), join(home, 'extensions/agents/a.md')),
    );
    expect(await added()).toEqual({ names: ['a'], problems: [] });
  });

  it('counts only where it is meant as one: no drafts of editors, no folders', async () => {
    for (const name of ['.a.md.swp', '.#a.md', 'a.md~', 'notes.txt']) write(`extensions/agents/${name}`, 'x');
    expect(await added()).toEqual({ names: [], problems: [] });
  });
});

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
  .split('')
  .map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefgh'[at]}`).join(',')}]`)
  .join('\n')}\n`;

describe('a wrong file is named with its place, and the rest runs:', () => {
  it.each<[string, string | Buffer, string]>([
    ['no front matter', 'You do things.\n', ':1: does not begin with front matter'],
    ['an empty file', '', ':1: does not begin with front matter'],
    ['front matter without an end', '---\nname: a\n', ':1: the front matter has no end'],
    ['bad YAML', '---\nname: a\ndescription: [x\n---\nYou.\n', ':4: is not YAML: '],
    ['a key twice', '---\nname: a\nname: b\n---\nYou.\n', ':3: is not YAML: '],
    ['a tag that nobody knows', agent('a', 'model: !!js/function x\n'), ':4: is not YAML: '],
    ['a list as front matter', '---\n- name\n---\nYou.\n', ':1: the front matter must be lines like'],
    ['aliases without end', agent('a', BOMB), ':1: is not YAML: '],
    ['no name', '---\ndescription: b\n---\nYou.\n', ':2: name: is missing'],
    [
      'a number for a name',
      '---\ndescription: b\nname: 7\n---\nYou.\n',
      ':3: name: expected string, received number',
    ],
    ['a bad name', agent('Not-Good'), ':2: name: must be lower-case letters'],
    [
      'a setting that does not exist',
      agent('a', 'tool: [read_file]\n'),
      ':4: there is no setting tool; did you mean tools?',
    ],
    [
      'one inside another',
      agent('a', 'limits:\n  turns: 1\n  turn: 2\n'),
      ':6: there is no setting limits.turn; did you mean turns?',
    ],
    ['a value out of range', agent('a', 'limits:\n  turns: 0\n'), ':5: limits.turns: '],
    ['an autonomy that does not exist', agent('a', 'autonomy: free\n'), ':4: autonomy: expected one of'],
    ['a level that does not exist', agent('a', 'approvals: all\n'), ':4: approvals: expected one of'],
    [
      'a tool that does not exist',
      agent('a', 'tools:\n  - write_file\n  - read_fil\n'),
      ':6: tools: there is no tool read_fil; did you mean read_file?',
    ],
    ['a tool twice', agent('a', 'tools: [read_file, read_file]\n'), ':4: tools: read_file is listed twice'],
    [
      'a schema that cannot be used',
      agent('a', 'inputSchema: { type: broken }\n'),
      ':4: inputSchema: not a usable JSON Schema',
    ],
    ['no prompt', '---\nname: a\ndescription: b\n---\n\n \n', ': has no text below the front matter'],
    ['a prompt that is too long', `${agent('a')}${'x'.repeat(100_001)}`, 'longer than 100,000 characters'],
    ['a NUL', `${agent('a')}\0`, ': is not text'],
    ['Latin-1', Buffer.from(`${agent('a')}\xe9`, 'latin1'), ': is not UTF-8'],
    ['too much', 'x'.repeat(600_000), ': is too large'],
    [
      'the name of an agent that ships',
      agent('general'),
      ':2: name: general is the name of an agent that ships with Bullpen',
    ],
  ])('%s', async (_, content, message) => {
    write('extensions/agents/wrong.md', content);
    write('extensions/agents/zz.md', agent('zz'));
    const { names, problems } = await added();
    expect(names).toEqual(['zz']);
    expect(problems).toEqual([
      expect.stringContaining(`extensions/agents/wrong.md${message.startsWith(':') ? message : ''}`),
    ]);
    expect(problems[0]).toContain(message);
  });

  it('all faults of one file at once', async () => {
    write('extensions/agents/a.md', agent('a', 'modle: x\nlimits: { turns: no }\n'));
    expect((await added()).problems).toHaveLength(2);
  });

  it('the second of two files with one name', async () => {
    write('extensions/agents/a.md', agent('same'));
    write('extensions/agents/b.md', agent('same'));
    expect(await added()).toEqual({
      names: ['same'],
      problems: ['extensions/agents/b.md:2: name: same is taken by extensions/agents/a.md; choose another'],
    });
  });

  it('a link that leads nowhere, a folder with the name of a file', async () => {
    mkdirSync(join(home, 'extensions/agents/folder.md'), { recursive: true });
    symlinkSync('nowhere', join(home, 'extensions/agents/link.md'));
    expect((await added()).problems).toEqual([
      'extensions/agents/folder.md: is not a regular file',
      expect.stringContaining('extensions/agents/link.md: cannot be read: '),
    ]);
  });

  it('a file in the place of the folder', async () => {
    write('extensions/agents', 'x');
    expect((await added()).problems).toEqual([
      expect.stringContaining('extensions/agents: cannot be read: '),
    ]);
  });
});

describe('a file that somebody else could change', () => {
  it.each([['664'], ['646']])('is refused: its mode is %s', async (octal) => {
    const mode = Number.parseInt(octal, 8);
    const path = write('extensions/agents/a.md', agent('a'), mode);
    expect(await added()).toEqual({
      names: [],
      problems: [expect.stringMatching(/agents\/a\.md: is refused: others could change .* run: chmod go-w /)],
    });
    chmodSync(path, 0o644);
    expect((await added()).names).toEqual(['a']);
  });

  it('is refused where they could put another in its place', async () => {
    write('extensions/agents/a.md', agent('a'));
    chmodSync(join(home, 'extensions'), 0o777);
    expect((await added()).problems).toEqual([
      expect.stringContaining('others could change extensions (its mode is 777)'),
    ]);
  });

  it('is refused behind a link, too', async () => {
    const target = write('elsewhere/a.md', agent('a'), 0o666);
    mkdirSync(join(home, 'extensions/agents'), { recursive: true });
    symlinkSync(target, join(home, 'extensions/agents/a.md'));
    expect((await added()).problems).toEqual([expect.stringContaining('others could change elsewhere/a.md')]);
  });

  (process.getuid?.() === 0 ? it : it.skip)('is refused when it is theirs', async () => {
    chownSync(write('extensions/agents/a.md', agent('a')), 65_534, 65_534);
    expect((await added()).problems).toEqual([expect.stringContaining('belongs to another user (65534)')]);
  });
});

describe('a module', () => {
  it('brings agents, from the installation’s own modules', async () => {
    write('extensions/node_modules/@acme/agents/package.json', '{"name":"@acme/agents"}');
    write('extensions/node_modules/@acme/agents/agents/a.md', agent('a'));
    write('extensions/agents/b.md', agent('a'));
    const { agents, sources, problems } = await load(['@acme/agents']);
    expect(agents.at(-1)?.name).toBe('a');
    expect(sources.get('a')).toEqual({ kind: 'module', name: '@acme/agents' });
    expect(problems).toHaveLength(1);
  });

  it('that is not installed is named with what to run', async () => {
    expect(await added(['acme'])).toEqual({
      names: [],
      problems: [
        'acme: EXTENSIONS names this module, but it is not installed; run: npm install --prefix extensions acme',
      ],
    });
  });
});
