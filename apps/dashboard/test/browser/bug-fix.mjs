/** Agents at real-looking work, for pictures: one fixes a bug up to the push, which it may not do unasked; three others wait for an answer. */

const SOURCE = 'src/invoice-date.js';

/** The repository that they work on. */
export const FILES = {
  'package.json':
    '{\n  "name": "invoices",\n  "type": "module",\n  "scripts": { "test": "node --test" }\n}\n',
  [SOURCE]: `/** The date that an invoice carries, as YYYY-MM-DD. */
export function invoiceDate(moment, customer) {
  return moment.toISOString().slice(0, 10);
}
`,
  'test/invoice-date.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invoiceDate } from '../src/invoice-date.js';

const evening = new Date('2026-03-14T01:30:00Z');

test('an invoice of the evening carries the date of that day', () => {
  assert.equal(invoiceDate(evening, { timeZone: 'America/Lima' }), '2026-03-13');
});

test('and that of the next day where it has begun', () => {
  assert.equal(invoiceDate(evening, { timeZone: 'Asia/Seoul' }), '2026-03-14');
});
`,
  'src/receipt.js': `import { invoiceDate } from './invoice-date.js';

/** The first line of a receipt. */
export const headOf = (sale, customer) => [sale.number, invoiceDate(sale.at, customer)].join(', ');
`,
};

const FIX = {
  path: SOURCE,
  oldText: '  return moment.toISOString().slice(0, 10);',
  newText: `  const day = { year: 'numeric', month: '2-digit', day: '2-digit' };
  // Swedes write dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { ...day, timeZone: customer.timeZone }).format(moment);`,
};
const PUSH =
  'git commit -am "Date invoices in the time zone of the customer" && git push origin fix/invoice-date';

const todos = (done) => ({
  name: 'update_todos',
  input: {
    todos: [
      'Find where the date is made',
      'Date invoices where the customer is',
      'Run the tests',
      'Push the branch',
    ].map((text, at) => ({
      text,
      status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending',
    })),
  },
});
const call = (name, input) => ({ name, input });
const explore = (title, prompt) => call('spawn_subtask', { agent: 'explorer', title, prompt });

const FIXING = [
  {
    text: 'I look at where the date is made, and have two others look around meanwhile.',
    toolCalls: [
      todos(0),
      explore('Other dates that are made in UTC', 'Find other dates in UTC.'),
      explore('Tests that cover dates', 'Find tests of dates.'),
      call('read_file', { path: SOURCE }),
    ],
  },
  ({ allToolResults }) => ({
    toolCalls: [
      call('wait_for_subtasks', {
        taskIds: allToolResults.flatMap(({ name, text }) =>
          name === 'spawn_subtask' ? (/task_\w+/.exec(text) ?? []) : [],
        ),
      }),
    ],
  }),
  {
    text: '`toISOString` gives the day **in UTC**. At half past eight in the evening in Lima it is already tomorrow there, so the invoice carries tomorrow’s date. The date has to be that of the customer’s own time zone:',
    toolCalls: [call('edit_file', FIX), todos(2)],
  },
  { text: 'Now the tests.', toolCalls: [call('run_command', { command: 'node --test' })] },
  {
    text: 'Both pass. The fix is one function, and the receipts use it, too. I would like to push the branch now.',
    toolCalls: [todos(3), call('run_command', { command: PUSH })],
  },
  { text: 'The branch is pushed.' },
];

const PLAN = {
  plan: [
    '# Move the settings page to the new form library',
    '',
    'Three forms still use the old library. One after the other, each with its tests, so that every step can go out alone.',
    '',
    '- **Profile** first: it has no fields of its own kind',
    '- **Notifications** next, with the switch that was made for it',
    '- **Billing** last, behind the flag that it has already',
  ].join('\n'),
  steps: ['Profile', 'Notifications', 'Billing', 'Remove the old library'],
};
const QUESTION = {
  header: 'Two clients still call it',
  question:
    'The access log of the last week has calls of /v1/import by two clients. Should I remove the endpoint all the same?',
  options: [
    { label: 'Keep it for now', description: 'and log who calls it' },
    { label: 'Answer 410', description: 'with a link to the new endpoint' },
    { label: 'Remove it', description: 'they were told in January' },
  ],
};
const NOTE = {
  path: 'docs/dates.md',
  content: '# Dates\n\nAn invoice carries the date where its customer is.\n',
};

/** What they say, turn by turn; the last one stays. */
const TALKS = [
  [/^Invoices of the evening/, FIXING],
  [
    /^Find other dates/,
    [
      { toolCalls: [call('search_files', { pattern: 'toISOString' })] },
      { text: 'Only `src/invoice-date.js` makes one.' },
    ],
  ],
  [
    /^Find tests of dates/,
    [
      { toolCalls: [call('list_files', { path: 'test' })] },
      { text: 'There are two, in `test/invoice-date.test.js`.' },
    ],
  ],
  [
    /^Move the settings page/,
    [
      { text: 'This is how I would go about it.', toolCalls: [call('present_plan', PLAN)] },
      { text: 'Done.' },
    ],
  ],
  [
    /^Remove the endpoint/,
    [
      { text: 'Before I remove anything I looked at who calls it.', toolCalls: [call('ask_user', QUESTION)] },
      { text: 'Done.' },
    ],
  ],
  [
    /^Write down how dates/,
    [{ text: 'One page for whoever comes next.', toolCalls: [call('write_file', NOTE)] }, { text: 'Done.' }],
  ],
];

export const bugFix = TALKS.map(([begins, replies]) => ({
  begins,
  play: (turn) => {
    const reply = replies[Math.min(turn.turnIndex, replies.length - 1)];
    return typeof reply === 'function' ? reply(turn) : reply;
  },
}));
