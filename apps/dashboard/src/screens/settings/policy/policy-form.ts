/** A layer of the policy as a form shows it: a choice for each category, and lists with a line for each entry. Pure. */
import { ApprovalSettings, type PolicyLayer } from '@bullpen/contracts';
import type { TextKey } from '../../../i18n/keys.js';

export type Category = keyof ApprovalSettings;
/** `wider`: this layer says nothing of it. */
export type Say = 'wider' | 'runs' | 'asks';

export const CATEGORIES: readonly Category[] = ApprovalSettings.keyof().options;

/** Where a list stands in the rules, and what it is called. */
export const LISTS = [
  { group: 'commands', list: 'allow', text: 'policies.list.commandsAllow' },
  { group: 'commands', list: 'deny', text: 'policies.list.commandsDeny' },
  { group: 'commands', list: 'exceptions', text: 'policies.list.commandsExceptions' },
  { group: 'tools', list: 'allow', text: 'policies.list.toolsAllow' },
  { group: 'tools', list: 'deny', text: 'policies.list.toolsDeny' },
  { group: 'files', list: 'protect', text: 'policies.list.filesProtect' },
  { group: 'files', list: 'exceptions', text: 'policies.list.filesExceptions' },
  { group: 'network', list: 'allow', text: 'policies.list.networkAllow' },
  { group: 'network', list: 'deny', text: 'policies.list.networkDeny' },
] as const satisfies readonly { group: keyof PolicyLayer['rules']; list: string; text: TextKey }[];

type List = (typeof LISTS)[number];

export interface PolicyForm {
  readonly says: Readonly<Record<Category, Say>>;
  readonly locked: readonly Category[];
  /** By `keyOf`. */
  readonly lists: Readonly<Record<string, string>>;
}

export function keyOf({ group, list }: Pick<List, 'group' | 'list'>): string {
  return `${group}.${list}`;
}

export function formOf({ approvals, locked, rules }: PolicyLayer): PolicyForm {
  const sayOf = (category: Category): Say => {
    const set = approvals[category];
    return set === undefined ? 'wider' : set ? 'runs' : 'asks';
  };
  return {
    says: Object.fromEntries(CATEGORIES.map((category) => [category, sayOf(category)])) as Record<
      Category,
      Say
    >,
    locked,
    lists: Object.fromEntries(LISTS.map((each) => [keyOf(each), entriesIn(rules, each).join('\n')])),
  };
}

export function layerOf({ says, locked, lists }: PolicyForm): PolicyLayer {
  const list = (group: List['group'], name: List['list']): string[] =>
    (lists[`${group}.${name}`] ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  return {
    approvals: Object.fromEntries(
      CATEGORIES.flatMap((category) =>
        says[category] === 'wider' ? [] : [[category, says[category] === 'runs']],
      ),
    ),
    locked: [...locked],
    rules: {
      commands: {
        allow: list('commands', 'allow'),
        deny: list('commands', 'deny'),
        exceptions: list('commands', 'exceptions'),
      },
      tools: { allow: list('tools', 'allow'), deny: list('tools', 'deny') },
      files: { protect: list('files', 'protect'), exceptions: list('files', 'exceptions') },
      network: { allow: list('network', 'allow'), deny: list('network', 'deny') },
    },
  };
}

function entriesIn(rules: PolicyLayer['rules'], { group, list }: List): readonly string[] {
  return (rules[group] as Readonly<Record<string, readonly string[]>>)[list] ?? [];
}

/** What a layer says, in figures. */
export function sizeOf({ approvals, locked, rules }: PolicyLayer): {
  readonly categories: number;
  readonly locked: number;
  readonly entries: number;
} {
  return {
    categories: Object.keys(approvals).length,
    locked: locked.length,
    entries: LISTS.reduce((sum, each) => sum + entriesIn(rules, each).length, 0),
  };
}
