import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Masker, type Tool, type ToolContext } from '@bullpen/core';
import { aTask } from '@bullpen/testing';
import { builtInAgents, loadExtensions, problemText } from './index.js';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'bullpen-tools-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(name: string, content: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content, { mode: 0o644 });
  return path;
}

/** `loadMs` is long, because other work may keep this machine busy; it is short only where a module never ends. */
async function load(modules: readonly string[] = [], loadMs = 30_000) {
  const builtInTools = builtInAgents().flatMap(({ tools }) => tools);
  const found = await loadExtensions({ home, modules, builtInTools, schemaIssues: () => [], loadMs });
  return {
    ...found,
    names: found.tools.map(({ name }) => name),
    said: found.problems.map((problem) => problemText(problem).replaceAll(`${home}/`, '')),
  };
}

/** A context whose workspace is the home. */
function context(shown: string[] = []): ToolContext {
  return {
    task: aTask({ id: 'task_1' }),
    callId: 'call_1',
    epoch: 1,
    workspacePath: home,
    policy: { files: { protect: [], exceptions: [] }, network: { allow: [], deny: [] } },
    onOutput: (text) => void shown.push(text),
    masker: new Masker([{ name: 'KEY', value: 'correct-horse-battery' }]),
    children: () => Promise.resolve([]),
    storedOutput: () => Promise.resolve(null),
  };
}

/** The call of a tool with arguments that fit. */
function call(tool: Tool | undefined, args: Record<string, string> = {}) {
  const parsed = tool?.parse(args);
  if (!parsed?.ok) throw new Error(`not accepted: ${parsed?.issues.join('; ')}`);
  return parsed.call;
}

const tool = (name: string, more = `run: () => 'done'`) =>
  `import { defineTool } from '@bullpen/sdk';\nimport { z } from 'zod';\n\nexport default defineTool({\n  name: '${name}',\n  description: 'Does it.',\n  input: z.strictObject({ what: z.string().default('it') }),\n  ${more},\n});\n`;

describe('a tool of an installation', () => {
  it.each(['ts', 'mts', 'js', 'mjs'])(
    'may be written as .%s, and needs nothing installed',
    async (ending) => {
      write(`extensions/tools/one.${ending}`, tool('one'));
      const { tools, said } = await load();
      expect(said).toEqual([]);
      expect(tools).toMatchObject([{ name: 'one', group: 'mcp', resume: 'report' }]);
      expect(tools[0]?.inputSchema).toMatchObject({
        properties: { what: { type: 'string' } },
        additionalProperties: false,
      });
      expect(await call(tools[0]).run(context(), new AbortController().signal)).toEqual({
        kind: 'result',
        output: 'done',
      });
    },
  );

  it('is given its arguments checked, its workspace, its task, what hides secrets, and a way to be watched and stopped', async () => {
    const more = `async run({ what }, { taskId, workspacePath, readable, mask, output, signal }) {
      output('live');
      const path = (await readable('a.txt')).replace(workspacePath, '');
      return { output: [what, taskId, path, mask('correct-horse-battery'), String(signal.aborted)].join(' '), isError: true };
    }`;
    write('extensions/tools/one.ts', tool('one', more));
    write('a.txt', 'text');
    const { tools } = await load();
    const shown: string[] = [];
    const stopped = AbortSignal.abort();
    const outcome = await call(tools[0], { what: 'this' }).run(context(shown), stopped);
    expect(outcome).toEqual({
      kind: 'result',
      output: expect.stringMatching(/^this task_1 \/a\.txt .*KEY.* true$/),
      isError: true,
    });
    expect(shown).toEqual(['live']);
    expect(tools[0]?.parse({ waht: 'x' })).toMatchObject({
      ok: false,
      issues: [expect.stringContaining('waht')],
    });
  });

  it('finds no way out of the workspace with the paths that it is given', async () => {
    write('extensions/tools/one.ts', tool('one', `run: ({ what }, { readable }) => readable(what)`));
    symlinkSync('/etc', join(home, 'link'));
    const { tools } = await load();
    for (const what of ['../x', '/etc/passwd', 'link/passwd'])
      await expect(call(tools[0], { what }).run(context(), new AbortController().signal)).rejects.toThrow(
        /outside|leads out/,
      );
  });

  it('may judge its calls more strictly than the policy does, and show what they would change', async () => {
    const more = `judge: ({ what }) => (what === 'all' ? { deny: 'Not all.' } : what === 'some' ? { ask: 'Some?' } : undefined),
      preview: ({ what }) => '+' + what,
      run: () => 'done'`;
    write('extensions/tools/one.ts', tool('one', more));
    const { tools } = await load();
    const factsOf = (what: string) => call(tools[0], { what }).inspect?.(context());
    expect(await factsOf('all')).toEqual({
      tightened: { verdict: 'deny', reason: 'Not all.', rule: 'tool' },
    });
    expect(await factsOf('some')).toEqual({ tightened: { verdict: 'ask', reason: 'Some?', rule: 'tool' } });
    expect(await factsOf('none')).toEqual({});
    expect(await call(tools[0], { what: 'x' }).preview?.(context())).toBe('+x');
  });

  it('that gives back something else than a text is told to the model as faulty', async () => {
    write('extensions/tools/one.js', tool('one', 'run: () => 7'));
    const { tools } = await load();
    expect(await call(tools[0]).run(context(), new AbortController().signal)).toMatchObject({
      isError: true,
    });
  });

  it('can be listed by an agent, and share code with others in a folder of its own', async () => {
    write('extensions/tools/lib/shared.ts', `export const said: string = 'shared';\n`);
    write(
      'extensions/tools/one.ts',
      `import { said } from './lib/shared.ts';\n${tool('one', 'run: () => said')}`,
    );
    write('extensions/tools/types.d.ts', 'export {};\n');
    write('extensions/agents/a.md', '---\nname: a\ndescription: b\ntools: [one]\n---\nDo.\n');
    const { names, said, agents } = await load();
    expect([names, said, agents.at(-1)?.tools]).toEqual([['one'], [], ['one']]);
  });
});

describe('a broken tool is named with its place, and the rest runs:', () => {
  it.each([
    ['a syntax error', 'export default {\n  name: ;\n};\n', ':2: cannot be read: '],
    [
      'one that throws while it is loaded',
      'const x: number = 1;\n\nthrow new Error(`not ${x}`);\n',
      ':3: failed while it was loaded: not 1',
    ],
    ['one that throws nothing but a text', 'throw "no";\n', ': failed while it was loaded: no'],
    [
      'an import of what is not there',
      `import 'nowhere-at-all';\nexport default 1;\n`,
      ":1: failed while it was loaded: Cannot find module 'nowhere-at-all'",
    ],
    [
      'an await that does not end',
      'await new Promise(() => {});\nexport default 1;\n',
      ': did not load within 3 s',
    ],
    ['no default export', 'export const tool = 1;\n', ':1: the default export must be a tool'],
    ['nothing', '', ':1: the default export must be a tool'],
    ['a bad name', tool('Bad-Name'), ':5: name: must be lower-case letters'],
    ['no function', tool('one', `group: 'read'`), ':4: run: '],
    [
      'a group of the harness',
      tool('one', `group: 'completion', run: () => ''`),
      ':8: group: expected one of',
    ],
    [
      'a field that does not exist',
      tool('one', `grop: 'read', run: () => ''`),
      ':8: grop: a tool has no such field',
    ],
    [
      'a schema that is none',
      tool('one').replace("z.strictObject({ what: z.string().default('it') })", '{}'),
      ':7: input: must be an object of zod',
    ],
    [
      'a schema that no model can be shown',
      tool('one').replace("z.string().default('it')", 'z.date()'),
      ':7: input: cannot be described to a model',
    ],
    ['the name of a built-in tool', tool('read_file'), ':5: name: read_file is the name of a built-in tool'],
    ['something that is not text', '\0', ': is not text'],
  ])('%s', async (_, content, message) => {
    write('extensions/tools/wrong.ts', content);
    write('extensions/tools/zz.ts', tool('zz'));
    const { names, said } = await load([], message.includes('did not load') ? 3_000 : undefined);
    expect(names).toEqual(['zz']);
    expect(said).toEqual([expect.stringContaining(`extensions/tools/wrong.ts${message}`)]);
  });

  it('one that leaves a failed promise behind, which would end a process', () => {
    // Jest hears of such promises itself, so this is a process of its own.
    write('extensions/tools/wrong.ts', `${tool('wrong')}void Promise.reject(new Error('late'));\n`);
    write('extensions/tools/zz.ts', tool('zz'));
    const built = new URL('../dist/index.js', import.meta.url).href;
    const code = `
      import { loadExtensions, problemText } from ${JSON.stringify(built)};
      process.on('unhandledRejection', () => process.exit(1));
      const settings = { home: process.cwd(), modules: [], builtInTools: [], schemaIssues: () => [] };
      const { tools, problems } = await loadExtensions(settings);
      console.log(tools.map(({ name }) => name).join(), problems.map(problemText).find((text) => text.includes('wrong.ts')));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: home,
      encoding: 'utf8',
    });
    expect(said).toMatch(/^zz .*\/wrong\.ts:10: failed while it was loaded: late\n$/);
  });

  it('the second of two with one name', async () => {
    write('extensions/tools/a.ts', tool('same'));
    write('extensions/tools/b.ts', tool('same'));
    expect((await load()).said).toEqual([
      'extensions/tools/b.ts:5: name: same is taken by extensions/tools/a.ts; choose another',
    ]);
  });

  it('one that others could change is not even loaded', async () => {
    chmodSync(write('extensions/tools/a.ts', `throw new Error('loaded');\n`), 0o666);
    expect((await load()).said).toEqual([
      expect.stringContaining('tools/a.ts: is refused: others could change'),
    ]);
  });
});

describe('a module of npm', () => {
  it('brings tools by its export of that name', async () => {
    const folder = 'extensions/node_modules/@acme/tools';
    write(
      `${folder}/package.json`,
      '{"name":"@acme/tools","type":"module","exports":{"import":"./main.js"}}',
    );
    write(
      `${folder}/main.js`,
      tool('acme')
        .replace('export default ', 'export const tools = [')
        .replace(/\);\n$/, ')];\n'),
    );
    const { names, said } = await load(['@acme/tools']);
    expect([names, said]).toEqual([['acme'], []]);
  });

  it('that has only agents is not run', async () => {
    write('extensions/node_modules/acme/package.json', '{"name":"acme"}');
    write('extensions/node_modules/acme/agents/a.md', '---\nname: a\ndescription: b\n---\nDo.\n');
    const { said, agents } = await load(['acme']);
    expect([said, agents.at(-1)?.name]).toEqual([[], 'a']);
  });
});
