import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startModelSim, type ModelSim } from '../start-model-sim.js';
import { fakeTools, type FakeTool } from '../testing/fake-tools.js';
import { runAgent, type AgentRun } from '../testing/run-agent.js';
import type { SurveyOutput } from './findings.js';

const FILES: Record<string, string | Buffer> = {
  'README.md': '# Title\n\nTODO: write this\n',
  '.env': 'A=1\n',
  '.ci/steps/build.yml': 'run: x # FIXME cache\n',
  'apps/web/main.ts': 'const a = 1; // TODO first TODO and FIXME on a line\nconst b = 2;\n',
  'apps/web/logo.png': Buffer.from([0x89, 0x50, 0, 1, 2]),
  'my docs/한국어 노트.md': '할 일\nFIXME: 번역\n',
  'my docs/🎉 party.py': 'print(1)\n',
  'my docs/a:b.ts': 'x // TODO colon\n',
  ' back\\slash.txt': 'a TODOs plural is none\n',
  'nested/deep/er/x.json': '{}\n',
  'REPORT.md': 'TODO: an old report, not counted\n',
};

let root: string;
let sim: ModelSim;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'survey-'));
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  mkdirSync(join(root, 'empty/inner'), { recursive: true });
  mkdirSync(join(root, '.git'));
  symlinkSync('README.md', join(root, 'apps/link.md'));
  sim = await startModelSim({ speed: 'max' });
});

afterEach(async () => {
  await sim.close();
  rmSync(root, { recursive: true });
});

interface SurveyOptions {
  pageSize?: number;
  /** Folder whose reader fails. */
  failing?: string;
  /** Folders that are spawned again after an error. */
  retried?: string[];
  change?: (tools: Record<string, FakeTool>) => Record<string, FakeTool>;
}

/** Runs the readers while the lead waits, as the product would. */
async function survey({
  pageSize = 3,
  failing,
  retried = [],
  change = (tools) => tools,
}: SurveyOptions = {}): Promise<{
  run: AgentRun;
  output: SurveyOutput;
}> {
  const subtasks = new Map<string, Record<string, unknown>>();
  const spawned: Array<{ taskId: string; folder: string }> = [];
  const tools = fakeTools({
    root,
    pageSize,
    spawn: ({ input }) => {
      const taskId = `task_${spawned.length + 1}`;
      spawned.push({ taskId, folder: (input as { folder: string }).folder });
      return taskId;
    },
    wait: (ids) => JSON.stringify({ subtasks: ids.map((id) => subtasks.get(id)) }),
  });
  const { spawn_subtask: _spawn, wait_for_subtasks: _wait, write_file: _write, ...readerTools } = tools;
  // The fake wait answers at once, so readers run as soon as they are known: folders are known before the lead runs.
  const folders = ['.', 'apps', 'my docs', 'nested'];
  for (const [index, folder] of folders.entries()) {
    const taskId = `task_${index + 1}`;
    if (folder === failing) {
      subtasks.set(taskId, {
        taskId,
        status: 'failed',
        cause: 'cost_limit',
        title: folder,
        output: null,
        partial: false,
      });
      continue;
    }
    const prompt = `Survey it.\n\n\`\`\`json\n${JSON.stringify({ folder })}\n\`\`\`\n`;
    const { output } = await runAgent(sim, { agent: 'survey-reader', prompt, tools: readerTools });
    subtasks.set(taskId, { taskId, status: 'completed', cause: null, title: folder, output, partial: false });
  }
  const run = await runAgent(sim, { agent: 'survey-lead', prompt: 'Survey .', tools: change(tools) });
  expect(spawned.map(({ folder }) => folder)).toEqual([...folders, ...retried]);
  return { run, output: run.output as SurveyOutput };
}

function callsOf({ messages }: AgentRun): string[][] {
  return messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) =>
      Array.isArray(content)
        ? content.flatMap((block) => (block.type === 'tool_use' ? [block.name] : []))
        : [],
    );
}

describe('survey', () => {
  it('counts every file of a workspace with odd names, whatever the page size', async () => {
    const { output } = await survey();
    const bytes = Object.entries(FILES).reduce(
      (sum, [path, content]) => sum + (path === 'REPORT.md' ? 0 : Buffer.byteLength(content)),
      0,
    );
    expect(output.totals).toEqual({ files: 10, lines: 13, bytes });
    expect(output.folders).toEqual([
      { folder: '.', files: 4, lines: 6 },
      { folder: 'apps', files: 2, lines: 2 },
      { folder: 'my docs', files: 3, lines: 4 },
      { folder: 'nested', files: 1, lines: 1 },
    ]);
    expect(output.languages).toContainEqual({ language: 'Binary', files: 1, lines: 0 });
    expect(output.languages).toContainEqual({ language: 'TypeScript', files: 2, lines: 3 });
    expect(output.incomplete).toEqual([]);
  });

  it('finds each marked line once, with the kind of its first mark', async () => {
    const { output } = await survey();
    expect(output.todos).toEqual([
      { file: '.ci/steps/build.yml', line: 1, kind: 'FIXME', text: 'run: x # FIXME cache' },
      { file: 'README.md', line: 3, kind: 'TODO', text: 'TODO: write this' },
      {
        file: 'apps/web/main.ts',
        line: 1,
        kind: 'TODO',
        text: 'const a = 1; // TODO first TODO and FIXME on a line',
      },
      { file: 'my docs/a:b.ts', line: 1, kind: 'TODO', text: 'x // TODO colon' },
      { file: 'my docs/한국어 노트.md', line: 2, kind: 'FIXME', text: 'FIXME: 번역' },
    ]);
  });

  it('gives the same output with small and with large pages', async () => {
    const small = await survey({ pageSize: 1 });
    const large = await survey({ pageSize: 500 });
    expect(small.output).toEqual(large.output);
  });

  it('plans, spawns all readers in one turn, waits once, writes the report and completes', async () => {
    const { run } = await survey({ pageSize: 500 });
    expect(callsOf(run)).toEqual([
      ['list_files'],
      ['list_files', 'list_files', 'list_files', 'list_files'],
      ['update_todos'],
      ['spawn_subtask', 'spawn_subtask', 'spawn_subtask', 'spawn_subtask'],
      ['wait_for_subtasks'],
      ['update_todos', 'write_file'],
      ['complete_task'],
    ]);
    const report = readFileSync(join(root, 'REPORT.md'), 'utf8');
    expect(report).toContain('simulated model');
    expect(report).toContain('- `my docs/한국어 노트.md:2` **FIXME** `FIXME: 번역`');
    expect(report).toContain('| `my docs` | 3 | 4 |');
  });

  it('names the folder of a failed reader in output and report, and counts the others', async () => {
    const { run, output } = await survey({ failing: 'apps' });
    expect(run.completion).toMatchObject({
      status: 'partial',
      missing: ['apps: its reader ended as failed (cost_limit)'],
    });
    expect(output.incomplete).toEqual(['apps']);
    expect(output.folders.map(({ folder }) => folder)).toEqual(['.', 'my docs', 'nested']);
    expect(readFileSync(join(root, 'REPORT.md'), 'utf8')).toContain(
      '- `apps`: its reader ended as failed (cost_limit)',
    );
  });

  it('gives up on a reader that cannot be started, after three tries, and says so', async () => {
    const spawnFailing = (tools: Record<string, FakeTool>): Record<string, FakeTool> => ({
      ...tools,
      spawn_subtask: (input) => {
        const id = tools['spawn_subtask']?.(input);
        if (input['title'] === 'Survey nested') throw new Error('at most 3 children');
        return id ?? '';
      },
    });
    const { run, output } = await survey({
      pageSize: 500,
      change: spawnFailing,
      retried: ['nested', 'nested'],
    });
    expect(output.incomplete).toEqual(['nested']);
    const spawns = callsOf(run).filter(([name]) => name === 'spawn_subtask');
    expect(spawns.map(({ length }) => length)).toEqual([4, 1, 1]);
    expect(readFileSync(join(root, 'REPORT.md'), 'utf8')).toContain(
      '- `nested`: its reader could not be started',
    );
  });

  it('asks for results one by one when the common result was cut', async () => {
    const { run, output } = await survey({
      pageSize: 500,
      change: ({ wait_for_subtasks: wait = () => '', ...tools }) => ({
        ...tools,
        wait_for_subtasks: (input) =>
          (input['taskIds'] as string[]).length > 1 ? `${wait(input).slice(0, 100)}… cut …` : wait(input),
      }),
    });
    expect(
      callsOf(run)
        .filter((names) => names[0] === 'wait_for_subtasks')
        .map(({ length }) => length),
    ).toEqual([1, 4]);
    expect(output.totals.files).toBe(10);
  });

  it('repeats calls that were cut off by a crash', async () => {
    let crashes = 1;
    const interrupted =
      (tool: FakeTool = () => ''): FakeTool =>
      (input) => {
        if (crashes-- > 0) throw new Error('interrupted');
        return tool(input);
      };
    const { output } = await survey({
      change: (tools) => ({ ...tools, list_files: interrupted(tools['list_files']) }),
    });
    expect(output.totals.files).toBe(10);
  });

  it('says what went wrong, without any output, when the folder cannot be listed', async () => {
    const tools = {
      list_files: () => {
        throw new Error('permission denied');
      },
      search_files: () => '0 matches',
    };
    const { output, text } = await runAgent(sim, {
      agent: 'survey-reader',
      prompt: '```json\n{"folder":"apps"}\n```',
      tools,
    });
    expect(output).toBeUndefined();
    expect(text).toContain('permission denied');
  });

  it('calls no tool that is not available', async () => {
    const { text } = await runAgent(sim, {
      agent: 'survey-lead',
      prompt: 'Survey .',
      tools: { complete_task: () => '' },
    });
    expect(text).toContain('list_files is not available');
  });
});

/** Any workspace: the readers that the lead starts run for real. */
async function surveyOf(
  workspace: string,
  { change = (tools) => tools, subtasks = 100 }: Pick<SurveyOptions, 'change'> & { subtasks?: number } = {},
): Promise<{ run: AgentRun; output: SurveyOutput; readers: number }> {
  const results = new Map<string, Record<string, unknown>>();
  const started = new Map<string, unknown>();
  const tools = fakeTools({
    root: workspace,
    pageSize: 200,
    spawn: ({ input }) => {
      if (started.size >= subtasks) throw new Error(`This task may have ${subtasks} subtasks and has them.`);
      const taskId = `task_${started.size + 1}`;
      started.set(taskId, input);
      return taskId;
    },
    wait: (ids) =>
      JSON.stringify({ subtasks: ids.map((id) => results.get(id) ?? { taskId: id, status: 'failed' }) }),
  });
  const { spawn_subtask: _spawn, wait_for_subtasks: _wait, write_file: _write, ...readerTools } = tools;
  const lead = () => {
    started.clear();
    return runAgent(sim, { agent: 'survey-lead', prompt: 'Survey .', tools: change(tools) });
  };
  await lead(); // To learn what it starts.
  rmSync(join(workspace, 'REPORT.md'), { force: true });
  for (const [taskId, input] of started) {
    const prompt = `Survey it.\n\n\`\`\`json\n${JSON.stringify(input)}\n\`\`\`\n`;
    const { completion } = await runAgent(sim, {
      agent: 'survey-reader',
      prompt,
      tools: change(readerTools),
    });
    const ended = completion?.['status'] === 'done' ? ['completed', null] : ['failed', 'partial'];
    results.set(taskId, { taskId, status: ended[0], cause: ended[1], output: completion?.['output'] });
  }
  const run = await lead();
  return { run, output: run.output as SurveyOutput, readers: started.size };
}

describe('a survey of more folders than a task may have subtasks', () => {
  let many: string;
  /** Not in all of them: the result has room for so many lines. */
  const markOf = (n: number): string => (n % 10 < 5 ? 'TODO' : 'done');
  const make = (folders: number): void => {
    many = mkdtempSync(join(tmpdir(), 'survey-many-'));
    writeFileSync(join(many, 'top.txt'), 'TODO top\n');
    for (let n = 0; n < folders; n += 1) {
      mkdirSync(join(many, `part ${n}`));
      // One in ten is empty.
      if (n % 10 > 0)
        writeFileSync(join(many, `part ${n}`, 'a.ts'), `// ${markOf(n)} ${n}\n${'x\n'.repeat(n % 7)}`);
    }
  };
  afterEach(() => rmSync(many, { recursive: true }));

  it.each([49, 50, 101, 250, 1_000])(
    'counts every file of %i folders, and says that it is done',
    async (folders) => {
      make(folders);
      const { run, output, readers } = await surveyOf(many);
      const counted = Array.from({ length: folders }, (_none, n) => n).filter((n) => n % 10 > 0);
      const lines = counted.reduce((sum, n) => sum + 1 + (n % 7), 1);
      expect(output.totals).toMatchObject({ files: counted.length + 1, lines });
      expect(output.folders.reduce((sum, row) => sum + row.files, 0)).toBe(counted.length + 1);
      expect(output.todos).toHaveLength(counted.filter((n) => markOf(n) === 'TODO').length + 1);
      expect(output.incomplete).toEqual([]);
      expect(run.completion?.['status']).toBe('done');
      expect(readers).toBeLessThanOrEqual(50);
    },
  );

  it('is partial when subtasks are refused half way, and names every folder that is missing', async () => {
    make(120);
    const { run, output } = await surveyOf(many, { subtasks: 7 });
    expect(run.completion?.['status']).toBe('partial');
    const found = new Set(output.folders.map(({ folder }) => folder));
    for (let n = 0; n < 120; n += 1)
      expect(found.has(`part ${n}`) || output.incomplete.includes(`part ${n}`) || n % 10 === 0).toBe(true);
    const missing = run.completion?.['missing'] as string[];
    expect(missing.length).toBeLessThanOrEqual(100);
    expect(missing[0]).toContain('could not be started');
    expect(run.text).toContain('Not surveyed completely');
    expect(readFileSync(join(many, 'REPORT.md'), 'utf8')).toContain('## Not surveyed');
  });

  it('says that it is blocked when no reader can be started', async () => {
    make(60);
    const { run, output } = await surveyOf(many, { subtasks: 0 });
    expect(run.completion).toMatchObject({ status: 'blocked' });
    expect(output.incomplete).toHaveLength(61);
  });

  it('is partial when a search gave up, and the numbers of that reader count', async () => {
    make(3);
    const { run, output } = await surveyOf(many, {
      change: ({ search_files: search = () => '', ...tools }) => ({
        ...tools,
        search_files: (input) =>
          input['path'] === 'part 1'
            ? `${search(input)}\n… stopped counting at 10000 matches; narrow the pattern, path or glob`
            : search(input),
      }),
    });
    expect(output.totals.files).toBe(3);
    expect(output.todos).toHaveLength(3);
    expect(output.incomplete).toEqual(['part 1']);
    expect(run.completion?.['status']).toBe('partial');
    expect(readFileSync(join(many, 'REPORT.md'), 'utf8')).toContain('## Surveyed in part');
  });

  it('is partial when its findings do not fit into the result, and says how many do not', async () => {
    make(1);
    const marks = Array.from({ length: 4_000 }, (_none, n) => `// TODO ${n} ${'x'.repeat(30)}\n`);
    writeFileSync(join(many, 'top.txt'), marks.join(''));
    const { run, output } = await surveyOf(many);
    expect(run.completion?.['status']).toBe('partial');
    expect(output.incomplete).toEqual(['.']);
    expect(output.totals.lines).toBe(4_000);
  });
});
