/** Things that the installation has by name: agents, modes. */
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';

/** The one with a name. Throws a `CliError` that lists all names when there is none. */
export function named<T extends { readonly name: string }>(what: string, all: readonly T[], name: string): T {
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new CliError(EXIT.notFound, `There is no ${what} "${name}".`, [
    `use one of these: ${all.map((one) => one.name).join(', ')}`,
  ]);
}
