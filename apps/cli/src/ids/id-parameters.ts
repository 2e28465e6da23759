/** Arguments and options that are ids: people type a piece of one, and commands get the whole. */
import { Argument, Option, type Command } from 'commander';
import { connect, optionsOf, type Client, type Context } from '../context.js';
import { findId, isWhole, type AnyIdKind } from './find-id.js';

export class IdArgument extends Argument {
  constructor(
    flags: string,
    readonly kinds: readonly AnyIdKind[],
    description: string,
  ) {
    super(flags, description);
  }
}

export class IdOption extends Option {
  constructor(
    flags: string,
    readonly kinds: readonly AnyIdKind[],
    description: string,
    /** Whether its value is an id, beside these options. */
    readonly isId: (options: Readonly<Record<string, unknown>>) => boolean = () => true,
  ) {
    super(flags, description);
  }
}

/** Runs before the action of a command: puts whole ids in place of pieces. Asks the gateway only when there are any. */
export async function completeIds(context: Context, command: Command): Promise<void> {
  let client: Client | null = null;
  const complete = async (kinds: readonly AnyIdKind[], text: string): Promise<string> => {
    if (kinds.some((kind) => isWhole(kind, text))) return text;
    client ??= connect(context, optionsOf(command)).client;
    return findId(client, kinds, text);
  };
  const completeAll = async (kinds: readonly AnyIdKind[], value: unknown): Promise<unknown> => {
    if (typeof value === 'string') return complete(kinds, value);
    if (!Array.isArray(value)) return value;
    const ids: string[] = [];
    for (const each of value) ids.push(await complete(kinds, String(each)));
    return ids;
  };
  for (const [index, argument] of command.registeredArguments.entries())
    if (argument instanceof IdArgument)
      command.processedArgs[index] = await completeAll(argument.kinds, command.processedArgs[index]);
  for (const option of command.options)
    if (option instanceof IdOption && option.isId(command.opts())) {
      const name = option.attributeName();
      const value: unknown = await completeAll(option.kinds, command.getOptionValue(name));
      if (value !== undefined) command.setOptionValueWithSource(name, value, 'cli');
    }
}
