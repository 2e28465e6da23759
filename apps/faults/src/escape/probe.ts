/** A probe: a program in the box that tries to get out, or to see what it must not. */
import type { CommandSpec } from '@bullpen/workspace';
import type { Attack } from './attack.js';
import { broken, type Finding, type Harm } from './finding.js';
import type { Arena } from './arena.js';

/** A line of output that begins so is a success of the program, and so a failure of the box. */
const GOT = 'GOT:';
/** The last line: the program was there to the end, so that silence means something. */
const END = 'THE-END';

export interface ProbeOptions {
  /** What a success of the program is. @defaultValue escaped */
  readonly harm?: Harm;
  /** Lays out the workspace before. */
  readonly before?: (arena: Arena) => void;
  /** Looks at what came of it, in the workspace and around it. */
  readonly after?: (arena: Arena, output: string) => Promise<readonly Finding[]> | readonly Finding[];
  /** Its end is not its own: a limit ends it. */
  readonly isCut?: boolean;
  readonly spec?: Partial<CommandSpec>;
  /** @defaultValue false */
  readonly once?: boolean;
}

/** The program as lines for bash, or made for the arena. */
export type Program = string | ((arena: Arena) => string);

/** An attack by a program that runs in the box. It must run to its end: one that could not start proves nothing. */
export function probe(name: string, what: string, program: Program, options: ProbeOptions = {}): Attack {
  const run = async (arena: Arena): Promise<readonly Finding[]> => {
    options.before?.(arena);
    const text = typeof program === 'string' ? program : program(arena);
    const { output } = await arena.run(`${HELPERS}\n${text}\necho ${END}`, options.spec);
    return [...judge(arena, output, options), ...((await options.after?.(arena, output)) ?? [])];
  };
  return { name: `probe-${name}`, what, kind: 'probe', once: options.once ?? false, run };
}

function judge(arena: Arena, output: string, { harm = 'escaped', isCut = false }: ProbeOptions): Finding[] {
  const got = output.split('\n').filter((line) => line.startsWith(GOT));
  return [
    ...got.map((line) => ({ harm, what: line.slice(0, 300) })),
    ...arena.canaries.seenIn(output),
    ...(isCut || output.includes(`${END}\n`)
      ? []
      : [broken(`it did not come to its end: ${output.slice(-600)}`)]),
  ];
}

/** For programs in the shell: `got` says what succeeded; `try_write` and `try_read` say it when they do. */
const HELPERS = `got() { echo "${GOT} $*"; }
try_write() { for f in "$@"; do ( echo x > "$f" ) 2>/dev/null && got "wrote $f"; done; true; }
try_read() { for f in "$@"; do [ -e "$f" ] && got "$f is there"; head -c 4000 "$f" 2>/dev/null; done; true; }`;
