/** The agents that ship with the product. An empty `model` means the installation's default model. */
import {
  DEFAULT_ASKS,
  DEFAULT_RETRY,
  NO_RULES,
  type AgentDefinition,
  type ApprovalSettings,
} from '@bullpen/contracts';
import { ALL_APPROVALS } from '../decide/policy/settings.js';
import { DEFAULT_LIMITS } from '../task/limits.js';

const READING: ApprovalSettings = {
  ...ALL_APPROVALS,
  alwaysAllowWrite: false,
  alwaysAllowExecute: false,
  alwaysAllowSubtasks: false,
};

const READ_TOOLS = ['read_file', 'list_files', 'search_files', 'read_tool_output'];
const WRITE_TOOLS = ['write_file', 'edit_file'];
const PROCESS_TOOLS = ['list_processes', 'read_process', 'wait_process', 'kill_process'];
const PEOPLE_TOOLS = ['ask_user', 'switch_autonomy'];
const SUBTASK_TOOLS = ['spawn_subtask', 'wait_for_subtasks'];

const base = {
  model: '',
  maxOutputTokens: 16_000,
  autonomy: 'background',
  conversation: false,
  rules: NO_RULES,
  asks: DEFAULT_ASKS,
  limits: DEFAULT_LIMITS,
  retry: DEFAULT_RETRY,
  inputSchema: null,
  outputSchema: null,
} as const;

const count = { type: 'integer', minimum: 0 } as const;
const language = {
  type: 'object',
  required: ['language', 'files', 'lines'],
  properties: { language: { type: 'string' }, files: count, lines: count },
};
const folder = {
  type: 'object',
  required: ['folder', 'files', 'lines'],
  properties: { folder: { type: 'string' }, files: count, lines: count },
};
const todo = {
  type: 'object',
  required: ['file', 'line', 'kind', 'text'],
  properties: {
    file: { type: 'string' },
    line: { type: 'integer', minimum: 1 },
    kind: { enum: ['TODO', 'FIXME'] },
    text: { type: 'string' },
  },
};
const sized = {
  type: 'object',
  required: ['file', 'bytes'],
  properties: { file: { type: 'string' }, bytes: count },
};

const COUNTING_RULES = [
  'How to count, so that the numbers of all agents add up:',
  '- A file is a regular file that list_files shows (marked f or b); symlinks and directories are not files.',
  '- Take lines and bytes from list_files with details; a binary file (marked b) has 0 lines.',
  '- A finding is one line that search_files reports for \\b(TODO|FIXME)\\b; the first of the two words on the line is its kind.',
  '- Read every page: continue with the offset that the last line of a result gives.',
  '- A file named REPORT.md at the top of the workspace is not counted.',
].join('\n');

/** Definitions by name, in the order in which they are shown. */
export const BUILTIN_AGENTS: readonly AgentDefinition[] = [
  {
    ...base,
    name: 'general',
    description: 'Works on any task with all tools that its approvals allow, on its own or through subtasks.',
    systemPrompt:
      'You are a careful, capable engineer. Look before you change anything, keep changes small, and check your work with the tools that you have. ' +
      'Keep a to-do list when the work has more than a few steps. Give independent parts to subtasks when that is faster.',
    tools: [
      ...READ_TOOLS,
      ...WRITE_TOOLS,
      'run_command',
      ...PROCESS_TOOLS,
      ...SUBTASK_TOOLS,
      'update_todos',
      ...PEOPLE_TOOLS,
    ],
    approvals: ALL_APPROVALS,
  },
  {
    ...base,
    name: 'explorer',
    description:
      'Answers questions about the files of a workspace; reads and searches, never changes anything.',
    systemPrompt:
      'You answer a question about the files of this workspace. Search first, read what matters, and cite files and lines as evidence.',
    tools: [...READ_TOOLS, 'update_todos', ...PEOPLE_TOOLS],
    approvals: READING,
  },
  {
    ...base,
    name: 'survey-lead',
    description:
      'Surveys a directory: a subtask for each top-level folder (several to one when there are many), findings merged into REPORT.md and a typed result.',
    systemPrompt: [
      'You survey the directory that is your workspace with the help of subtasks, and write REPORT.md.',
      '1. List the top level, every page of it. Make one group for each folder there that is not hidden, and one group named "." for the files at the top level and everything in hidden folders.',
      'You may start at most 100 subtasks. If there are more than 49 folders, put several into each group, so that there are at most 50 groups and every folder is in exactly one of them.',
      '2. Write a to-do list, then spawn one survey-reader subtask for each group, all in one answer, each with the input {"folder": "<folder>"}, or {"folder": ["<folder>", ...]} for several.',
      '3. Wait for all of them and merge their findings. Sums must be exact. List every folder in "incomplete" that no reader has surveyed completely: because it failed, did only a part, or could not be started.',
      '4. Write REPORT.md: totals, folders, languages, TODO and FIXME lines with file and line, the ten largest files. If there are very many folders, one row may stand for several.',
      '5. Complete the task with the typed result: as done only if "incomplete" is empty and nothing was left out, otherwise as partial, with what you have and each thing that is missing.',
      COUNTING_RULES,
    ].join('\n'),
    tools: [...READ_TOOLS, 'write_file', ...SUBTASK_TOOLS, 'update_todos', 'complete_task'],
    approvals: { ...ALL_APPROVALS, alwaysAllowExecute: false },
    outputSchema: {
      type: 'object',
      required: ['report', 'totals', 'languages', 'todos', 'largest', 'folders', 'incomplete'],
      properties: {
        report: { type: 'string' },
        totals: {
          type: 'object',
          required: ['files', 'lines', 'bytes'],
          properties: { files: count, lines: count, bytes: count },
        },
        languages: { type: 'array', items: language },
        todos: { type: 'array', items: todo },
        largest: { type: 'array', maxItems: 10, items: sized },
        folders: {
          type: 'array',
          items: folder,
        },
        incomplete: { type: 'array', items: { type: 'string' } },
      },
    },
  },
  {
    ...base,
    name: 'survey-reader',
    description: 'Reads one folder, or several, for survey-lead and returns typed findings.',
    systemPrompt: [
      'You survey the folders of this workspace that the input names: one, or a list. For the folder ".", take only the files at the top level and everything in hidden folders there.',
      'List each folder recursively with details, look into the largest text files, search for TODO and FIXME, and complete the task with the typed findings, counted for each folder and for all together: as done if you have seen all of it, otherwise as partial, with what is missing.',
      COUNTING_RULES,
    ].join('\n'),
    tools: [...READ_TOOLS, 'complete_task'],
    approvals: READING,
    inputSchema: {
      type: 'object',
      required: ['folder'],
      additionalProperties: false,
      properties: {
        folder: {
          anyOf: [
            { type: 'string', minLength: 1 },
            { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
          ],
        },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['folders', 'files', 'lines', 'bytes', 'languages', 'todos', 'largest'],
      properties: {
        folders: { type: 'array', items: folder },
        files: count,
        lines: count,
        bytes: count,
        languages: { type: 'array', items: language },
        todos: { type: 'array', items: todo },
        largest: { type: 'array', items: sized },
      },
    },
  },
];
