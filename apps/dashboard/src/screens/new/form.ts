/** A task that is being written: what is sent, and the same as a command line and as curl. Pure. */
import {
  inexactNumber,
  type Autonomy,
  type CreateTaskInput,
  type Json,
  type ModeAsks,
  type Workflow,
} from '@bullpen/contracts';

export interface NewTask {
  readonly prompt: string;
  /** JSON, for agents that take typed input. */
  readonly input: string;
  readonly agent: string;
  /** Empty: the agent's own. */
  readonly model: string;
  readonly place: 'empty' | 'folder' | 'git';
  readonly folder: string;
  readonly url: string;
  readonly ref: string;
  readonly autonomy: Autonomy;
  readonly workflow: Workflow;
  /** Of a task that works in modes. Empty: each mode asks as it says itself. */
  readonly modeAsks: ModeAsks | '';
  readonly budget: string;
  readonly turns: string;
  readonly title: string;
  readonly tags: string;
  readonly priority: string;
}

export const EMPTY: NewTask = {
  prompt: '',
  input: '',
  agent: 'general',
  model: '',
  place: 'empty',
  folder: '',
  url: '',
  ref: '',
  autonomy: 'agent',
  workflow: 'free',
  modeAsks: '',
  budget: '',
  turns: '',
  title: '',
  tags: '',
  priority: '',
};

export type Fault = 'nothing' | 'input' | 'budget' | 'turns' | 'place' | 'priority';

/** What keeps it from being sent. */
export function faultOf(form: NewTask): Fault | null {
  if (form.prompt.trim() === '' && form.input.trim() === '') return 'nothing';
  if (form.input.trim() !== '' && parsed(form.input) === undefined) return 'input';
  if (form.budget !== '' && !/^\d{1,6}(\.\d{1,9})?$/.test(form.budget)) return 'budget';
  if (form.turns !== '' && !/^[1-9]\d{0,4}$/.test(form.turns)) return 'turns';
  if (form.priority !== '' && !/^-?\d{1,3}$/.test(form.priority)) return 'priority';
  if (form.place === 'folder' && form.folder.trim() === '') return 'place';
  return form.place === 'git' && form.url.trim() === '' ? 'place' : null;
}

/** Undefined: no JSON, or JSON with a number that would be sent as another one. */
function parsed(text: string): Json | undefined {
  try {
    return inexactNumber(text) === null ? (JSON.parse(text) as Json) : undefined;
  } catch {
    // Half of it is typed; the form says so.
    return undefined;
  }
}

/** What is left as it is by default is not sent. */
export function bodyOf(form: NewTask): CreateTaskInput {
  const limits = {
    ...(form.budget !== '' && { costUsd: form.budget }),
    ...(form.turns !== '' && { turns: Number(form.turns) }),
  };
  const tags = tagsOf(form);
  const input = form.input.trim() === '' ? undefined : parsed(form.input);
  return {
    ...(form.prompt.trim() !== '' && { prompt: form.prompt.trim() }),
    ...(input !== undefined && { input }),
    agent: form.agent,
    ...(form.model !== '' && { model: form.model }),
    autonomy: form.autonomy,
    ...(form.workflow === 'fsm' && {
      workflow: form.workflow,
      ...(form.modeAsks !== '' && { modeAsks: form.modeAsks }),
    }),
    ...workspaceOf(form),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(form.title.trim() !== '' && { title: form.title.trim() }),
    ...(tags.length > 0 && { tags }),
    ...(form.priority !== '' && { priority: Number(form.priority) }),
  };
}

function workspaceOf({ place, folder, url, ref }: NewTask): Pick<CreateTaskInput, 'workspace'> {
  if (place === 'empty') return {};
  if (place === 'folder') return { workspace: { kind: 'path', path: folder.trim(), copy: true } };
  return { workspace: { kind: 'git', url: url.trim(), ...(ref.trim() !== '' && { ref: ref.trim() }) } };
}

function tagsOf({ tags }: NewTask): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The same on the machine of the gateway. */
export function commandLineOf(form: NewTask): string {
  const options: (readonly [string, string])[] = [
    ['--agent', form.agent],
    ['--autonomy', form.autonomy],
    ['--workflow', form.workflow === 'fsm' ? form.workflow : ''],
    ['--mode-asks', form.workflow === 'fsm' ? form.modeAsks : ''],
    ['--model', form.model],
    ['--dir', form.place === 'folder' ? form.folder.trim() : ''],
    ['--git', form.place === 'git' ? form.url.trim() : ''],
    ['--ref', form.place === 'git' ? form.ref.trim() : ''],
    ['--budget', form.budget],
    ['--turns', form.turns],
    ['--input', form.input.trim()],
    ['--title', form.title.trim()],
    ...tagsOf(form).map((tag) => ['--tag', tag] as const),
    ['--priority', form.priority],
  ];
  const prompt = form.prompt.trim() === '' ? [] : [quoted(form.prompt.trim())];
  const given = options
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name} ${quoted(value)}`);
  return [['npx bullpen run', ...prompt].join(' '), ...given].join(' \\\n  ');
}

/** The same from anywhere with a key. */
export function curlOf(form: NewTask, gateway: string): string {
  const body = JSON.stringify(bodyOf(form), null, 2);
  return [
    `curl ${gateway}/v1/tasks`,
    `-H "Authorization: Bearer $BULLPEN_KEY"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** As a POSIX shell takes it as one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
