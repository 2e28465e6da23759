/**
 * What the API shows, in the forms in which it can be asked for, on a database of `fillLongLife`; the bench times each of them. A spec of the gateway fails
 * when a route that shows something, or a parameter of one, is in none.
 */
import { longLifeIds } from './long-life/long-life.js';

const NOWHERE = 'task_7zzzzzzzzzzzzzzzzzzzzzzzzz';
const DAY_MS = 86_400_000;

/** The paths to ask for, with their queries. What few things fit and what none fits costs most where no index helps, so both are here. */
export function looksOf(tasks: number): readonly string[] {
  const ids = longLifeIds(tasks);
  const filters = [...filtersOf(ids.root), ...timesOf()];
  return [
    ...asked('/v1/tasks', [
      '',
      'limit=200',
      ...filters,
      ...WORDS,
      'roots=true&trees=true',
      'trees=true&limit=200',
    ]),
    ...asked('/v1/search', [...WORDS, ...filters.map((filter) => `q=part&${filter}`), 'q=part&limit=200']),
    ...taskLooks(ids.root),
    ...asked('/v1/failures', ['', 'limit=200', 'agent=coder', 'agent=nobody', ...spans('from', 'to')]),
    ...asked('/v1/interactions', interactionQueries(ids)),
    ...asked('/v1/usage', usageQueries()),
    ...asked('/v1/workspaces', PAGES),
    ...asked('/v1/bulk-actions', PAGES),
    ...asked(`/v1/bulk-actions/${ids.bulk}`, ['']),
    ...asked(`/v1/bulk-actions/${ids.bulk}/items`, [...PAGES, 'state=done', 'state=refused']),
    ...asked('/v1/queues', ['']),
    ...asked('/v1/queues/samples', [
      ...['1h', '6h', '24h', '7d'].map((window) => `window=${window}`),
      'tenantId=default',
    ]),
    ...asked('/v1/webhooks', ['']),
    ...asked(`/v1/webhooks/${ids.webhook}`, ['']),
    ...asked(`/v1/webhooks/${ids.webhook}/deliveries`, [...PAGES, 'state=delivered', 'state=failed']),
    ...asked('/v1/ids', ['task', 'ask', 'inbox', 'webhook', 'delivery', 'proc', 'ckpt'].flatMap(pieces)),
    ...asked('/v1/stream', [`after=0`]),
    ...[
      'me',
      'api-keys',
      'agents',
      'models',
      'modes',
      'policies',
      'providers',
      'workers',
      'tenants',
      'views',
      'system',
    ].map((name) => `/v1/${name}`),
  ];
}

/** Pages say where the next one begins, which is asked for by whoever reads the answers. */
const PAGES = ['', 'limit=200'];
const WORDS = [
  ...[
    'q=nowhere',
    'q=part',
    'q=part+n77',
    'q=topic7',
    'q=part+nowhere',
    'q=nowhere&roots=true',
    'q=part&agent=nobody',
  ],
  ...['q=part&state=running', 'q=n77&tag=nothing', `q=part&createdBefore=${ago(90)}`],
];

function asked(path: string, queries: readonly string[]): string[] {
  return queries.map((query) => (query === '' ? path : `${path}?${query}`));
}

function ago(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

const each = (name: string, values: string) => values.split(' ').map((value) => `${name}=${value}`);

function filtersOf(root: string): string[] {
  return [
    ...each(
      'state',
      'queued running paused waiting completed failed cancelled failed,cancelled queued,running',
    ),
    ...each('waitReason', 'children approval answer message backoff budget provider approval,answer,budget'),
    ...each('cause', 'goal error refused'),
    ...each('errorClass', 'server_error overloaded'),
    ...each('failure', '0123456789abcdef'),
    ...each('agent', 'coder nobody'),
    ...each('tag', 't7 nothing'),
    ...each('rootId', `${root} ${NOWHERE}`),
    ...each('parentId', `${root} ${NOWHERE}`),
    ...each('archived', 'only any'),
    ...each('roots', 'true'),
    ...[
      'state=waiting&roots=true',
      'state=completed&roots=true',
      'cause=loop&roots=true',
      'tag=nothing&roots=true',
    ],
    ...['agent=coder&state=failed', 'agent=nobody&state=completed', 'agent=coder&roots=true'],
    ...['tag=t7&agent=nobody', 'tag=t7&state=running'],
  ];
}

/** Of now, of the middle of the life, and of before it. */
function timesOf(): string[] {
  return [
    ...each('createdAfter', `${ago(0)} ${ago(15)}`),
    ...each('createdBefore', `${ago(15)} ${ago(90)}`),
    ...each('updatedAfter', `${ago(0)} ${ago(15)}`),
    ...each('endedAfter', `${ago(0)} ${ago(15)}`),
    ...each('endedBefore', `${ago(15)} ${ago(90)}`),
    `endedAfter=${ago(15)}&endedBefore=${ago(14.9)}`,
    `createdAfter=${ago(15)}&createdBefore=${ago(14.9)}&state=failed`,
  ];
}

const spans = (from: string, to: string) => [
  ...each(from, `${ago(0)} ${ago(15)}`),
  ...each(to, ago(15)),
  `${from}=${ago(15)}&${to}=${ago(14)}`,
];

function taskLooks(root: string): string[] {
  const lists = 'messages tool-calls model-calls history/api history/ui processes checkpoints'.split(' ');
  const whole = 'attempts tree timeline transitions usage shares shares/preview'.split(' ');
  return [
    ...asked(`/v1/tasks/${root}`, ['']),
    ...whole.map((name) => `/v1/tasks/${root}/${name}`),
    ...lists.flatMap((name) => asked(`/v1/tasks/${root}/${name}`, PAGES)),
    ...asked(`/v1/tasks/${root}/events`, ['', 'after=15&limit=5', 'tree=true']),
    ...asked(`/v1/tasks/${root}/stream`, ['after=0', 'after=0&tree=true']),
    ...asked(`/v1/tasks/${root}/export`, ['format=json', 'format=markdown&attachments=true']),
  ];
}

function interactionQueries({
  asks,
  waiting,
}: {
  readonly asks: string;
  readonly waiting: string;
}): string[] {
  const states = ['', ...each('state', 'pending answered expired withdrawn')];
  const kinds = ['', ...each('kind', 'approval question plan budget')];
  return [
    ...states.flatMap((state) => kinds.map((kind) => [state, kind].filter((one) => one !== '').join('&'))),
    ...[
      `taskId=${asks}`,
      `rootId=${waiting}`,
      `rootId=${NOWHERE}`,
      `state=answered&rootId=${NOWHERE}`,
      'limit=200',
    ],
  ];
}

function usageQueries(): string[] {
  const month = `from=${ago(30)}&to=${ago(0)}`;
  return [
    ...each('groupBy', 'day model agent tenant tag').flatMap((key) => [key, `${key}&${month}`]),
    ...each('splitBy', 'model agent tenant tag').map((part) => `groupBy=day&${part}&${month}`),
    ...[`groupBy=tag&splitBy=model&${month}`, `groupBy=day&from=${ago(1)}`, 'groupBy=tenant&allTenants=true'],
  ];
}

/** By a beginning that many have, by an end, and by one that none has. */
function pieces(kind: string): string[] {
  return ['000', '9980', 'zzzz'].map((piece) => `kind=${kind}&piece=${piece}`);
}
