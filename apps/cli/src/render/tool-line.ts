/** A tool call on one line: the tool and the one argument that says most. */
import { tellingArgument } from '@bullpen/client';
import type { Json } from '@bullpen/contracts';
import { oneLine } from './plain-text.js';

/** Such as `read_file src/index.ts`; never longer than needed to tell calls apart, safe to print. */
export function toolLine(tool: string, args: Json | null): string {
  const detail = tellingArgument(args);
  return oneLine(detail === '' ? tool : `${tool} ${detail}`);
}
