/** `bullpen search`: tasks by what was said in them. */
import type { SearchHit } from '@bullpen/contracts';
import type { Command } from 'commander';
import { connect, optionsOf, printJson, type Context } from '../context.js';
import { withExamples } from '../help.js';
import { oneLine, plainText } from '../render/plain-text.js';
import { parsePositive } from './task-input.js';

interface SearchFlags {
  readonly agent?: string;
  readonly tag?: string;
  readonly limit: number;
}

export function registerSearch(program: Command, context: Context): void {
  const command = program
    .command('search')
    .argument('<words...>', 'all of them have to be in one title, prompt or message')
    .option('-a, --agent <name>', 'only tasks of this agent')
    .option('--tag <tag>', 'only tasks with this tag')
    .option('-n, --limit <n>', 'at most this many tasks, newest first', parsePositive, 20)
    .action((words: string[], _, self: Command) => search(context, words.join(' '), self));
  withExamples(command, [
    ['bullpen search migration ledger', 'where was that talked about?'],
    ['bullpen search 설정', 'also finds 설정을'],
  ]);
}

async function search(context: Context, q: string, self: Command): Promise<void> {
  const { agent, tag, limit, ...options } = optionsOf<SearchFlags>(self);
  const { client } = connect(context, options);
  const page = await client.tasks.search({
    ...{ q, limit: Math.min(limit, 200) },
    ...(agent !== undefined && { agent }),
    ...(tag !== undefined && { tag }),
  });
  const { io } = context;
  if (options.json) return printJson(io, page);
  if (page.data.length === 0) return io.err(io.errColors.dim('Nothing has these words.'));
  for (const { taskId, title, state, hits } of page.data) {
    io.out(`${taskId}  ${state}  ${io.outColors.bold(oneLine(title))}`);
    for (const hit of hits) io.out(`  ${hit.field}: ${shown(hit, io.outColors.bold)}`);
  }
  if (page.hasMore) io.err(io.errColors.dim('and more: use --limit'));
}

/** The piece of text on one line, with the words set off. */
function shown({ text, marks, cutBefore, cutAfter }: SearchHit, bold: (text: string) => string): string {
  // Spaces beside the words stay.
  const flat = (part: string): string => plainText(part).replaceAll(/\s+/g, ' ');
  let line = cutBefore ? '…' : '';
  let at = 0;
  for (const { start, end } of marks) {
    line += `${flat(text.slice(at, start))}${bold(flat(text.slice(start, end)))}`;
    at = end;
  }
  return `${line}${flat(text.slice(at))}${cutAfter ? '…' : ''}`;
}
