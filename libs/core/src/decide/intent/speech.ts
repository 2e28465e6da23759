/**
 * What a person says in a text, apart from what is quoted or pasted: an order inside a quotation, a diff or a stack trace is nobody's
 * order. Linear in the text.
 */

import { unfenced } from '../../task/text.js';

/** What kind of material was pasted. */
export type Material = 'trace' | 'diff' | 'log' | 'code';

export interface Speech {
  /** The person's own words; a quotation is a single mark. */
  readonly said: string;
  readonly pasted: ReadonlySet<Material>;
}

/** Stands for something quoted: a thing with a name, whatever the name says. */
const QUOTED = '\u{FFFC}';

const LINES: readonly (readonly [Material, RegExp])[] = [
  [
    'trace',
    /^\s+at\s\S.*[:)]|^\s*File ".*", line \d+|^Traceback \(most recent|^\s*Caused by: |^panic: |^goroutine \d+/,
  ],
  ['trace', /^(?:Uncaught )?(?:[\w$.]+)?(?:Error|Exception|Panic)(?: \[\w+\])?: \S/],
  ['diff', /^(?:diff --git |index [0-9a-f]+\.\.|@@ |\+\+\+ |--- |[+-](?:\s|[{}()[\]/*]|\w+[(=;. ]))/],
  ['log', /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^(?:npm ERR!|\[?(?:ERROR|WARN|FATAL)\]?[ :])/],
  ['log', /^\s*> /],
];
/** Pairs of marks that quote. A single one is also an apostrophe, so it must stand apart from words. */
const QUOTES =
  /"[^"\n]{1,400}"|“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』|(?<![\p{L}\p{N}])['‘][^'’\n]{1,400}['’](?![\p{L}\p{N}])|`[^`\n]{1,400}`/gu;

/** Takes a text apart. */
export function speechOf(text: string): Speech {
  const { lines, fenced } = unfenced(text.replaceAll('\r', ''));
  const pasted = new Set<Material>(
    fenced.map((language) => (language === 'diff' || language === 'patch' ? 'diff' : 'code')),
  );
  const own = lines.filter((line) => {
    const material = LINES.find(([, pattern]) => pattern.test(line))?.[0];
    if (material !== undefined) pasted.add(material);
    return material === undefined;
  });
  return {
    said: own
      .join('\n')
      .replaceAll(QUOTES, QUOTED)
      .replaceAll(/https?:\/\/\S+/g, QUOTED),
    pasted,
  };
}
