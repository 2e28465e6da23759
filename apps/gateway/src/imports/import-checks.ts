/** What an exported task must be beyond its fields: one tree, with histories that have no gaps and conversations that a model could be sent. */
import { isStorableTime, type ImportTask } from '@bullpen/contracts';
import { foreignFault } from '@bullpen/core';
import type { FieldError } from '../http/text-check.js';

type Part = ImportTask['tasks'][number];

/** The first fault of each task; empty for a sound document. */
export function importFaults({ rootId, tasks }: ImportTask): FieldError[] {
  const [root] = tasks;
  const before = new Set<string>();
  const ids = new Ids();
  return tasks.flatMap((part, at) => {
    const place = `/tasks/${at}`;
    const { id, parentId } = part.task;
    const fault =
      (part === root && id !== rootId && `${place}/task/id is not the root that the document names`) ||
      (part !== root &&
        !before.has(parentId ?? '') &&
        `${place}/task/parentId is none of the tasks before it`) ||
      ids.faultOf(part, place) ||
      historyFault(part, place);
    before.add(id);
    return fault ? [fieldError(fault)] : [];
  });
}

/** A pointer, then what is wrong there. */
function fieldError(fault: string): FieldError {
  const space = fault.indexOf(' ');
  return { pointer: fault.slice(0, space), detail: fault.slice(space + 1) };
}

/** Ids that a document may use once. */
class Ids {
  readonly #seen = new Set<string>();

  faultOf({ task, messages, toolCalls }: Part, place: string): string | null {
    const used: [string, string][] = [
      [task.id, `${place}/task/id`],
      ...messages.map(({ id }, at): [string, string] => [id, `${place}/messages/${at}/id`]),
      ...toolCalls.map(({ id }, at): [string, string] => [id, `${place}/toolCalls/${at}/id`]),
    ];
    for (const [id, pointer] of used) {
      if (this.#seen.has(id)) return `${pointer} is in the document twice`;
      this.#seen.add(id);
    }
    return null;
  }
}

function historyFault(part: Part, place: string): string | null {
  const { events, messages } = part;
  const gap =
    gapIn(events, `${place}/events`) ?? gapIn(messages, `${place}/messages`) ?? timeFault(part, place);
  if (gap !== null) return gap;
  const sent = messages.filter(({ droppedAt }) => droppedAt === null);
  const unsendable = foreignFault(sent);
  if (unsendable !== null) {
    const { message, reason } = unsendable;
    return `${place}/messages/${message.seq - 1} breaks the conversation: ${reason}`;
  }
  return callFault(part, place);
}

function gapIn(rows: readonly { readonly seq: number }[], place: string): string | null {
  const at = rows.findIndex(({ seq }, index) => seq !== index + 1);
  return at === -1 ? null : `${place}/${at}/seq must be ${at + 1}: they are numbered without gaps`;
}

function timeFault({ events, messages, toolCalls }: Part, place: string): string | null {
  const times: [string, string | null][] = [
    ...events.map(({ at }, index): [string, string] => [`${place}/events/${index}/at`, at]),
    ...messages.flatMap(({ createdAt, droppedAt }, index): [string, string | null][] => [
      [`${place}/messages/${index}/createdAt`, createdAt],
      [`${place}/messages/${index}/droppedAt`, droppedAt],
    ]),
    ...toolCalls.flatMap(({ startedAt, endedAt }, index): [string, string | null][] => [
      [`${place}/toolCalls/${index}/startedAt`, startedAt],
      [`${place}/toolCalls/${index}/endedAt`, endedAt],
    ]),
  ];
  const [fault] = times.filter(([, time]) => time !== null && !isStorableTime(Date.parse(time)));
  return fault === undefined ? null : `${fault[0]} must be a time in the years 1 to 9999`;
}

/** Each call belongs to a message that asks for it. */
function callFault({ messages, toolCalls }: Part, place: string): string | null {
  const asked = new Set(
    messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    ),
  );
  const met = new Set<string>();
  for (const [at, { toolUseId }] of toolCalls.entries()) {
    const pointer = `${place}/toolCalls/${at}/toolUseId`;
    if (!asked.has(toolUseId)) return `${pointer} is in no message`;
    if (met.has(toolUseId)) return `${pointer} belongs to two calls`;
    met.add(toolUseId);
  }
  return null;
}
