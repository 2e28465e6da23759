/** The command line of the bench. */
import { parseArgs } from 'node:util';
import { FIGURE_NAMES, type FigureName } from './figures/index.js';
import type { Backend } from './report/measure.js';

export interface BenchOptions {
  readonly json: boolean;
  readonly quick: boolean;
  readonly figures: readonly FigureName[];
  /** Null: both, or what there is. */
  readonly backend: Backend | null;
  readonly out: string;
  /** Where the product's processes write their CPU profiles; null: they write none. */
  readonly cpuProf: string | null;
  /** A document that the result is written into, between its two marks; null: none. */
  readonly markdown: string | null;
  /** A `bench.json` to take instead of measuring; null: measure. */
  readonly from: string | null;
  readonly help: boolean;
}

export const USAGE = `Usage: npm run bench -- [options]

Measures the product beside its floor and beside raw BullMQ, in one run, on databases of its own.

  --only A,B        figures to measure: ${FIGURE_NAMES.join(', ')} (default: all)
  --quick           smaller counts, about a minute: an indication only
  --backend NAME    redis or postgres (default: both)
  --json            only the JSON on stdout
  --out FOLDER      where bench.json and bench.md go (default: .bullpen/bench)
  --cpu-prof FOLDER CPU profiles of gateway and workers, one a process (they slow down what is measured)
  --markdown FILE   writes the table into this document, too, between its two bench comments
  --from FILE       takes an earlier bench.json (of it what --only names) and measures nothing
  --help            show this text
`;

/** Reads the command line. Throws an `Error` that names the option that is wrong. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      backend: { type: 'string' },
      out: { type: 'string', default: '.bullpen/bench' },
      'cpu-prof': { type: 'string' },
      markdown: { type: 'string' },
      from: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    json: values.json,
    quick: values.quick,
    figures: values.only === undefined ? FIGURE_NAMES : values.only.split(',').map(figureName),
    backend: values.backend === undefined ? null : backendName(values.backend),
    out: values.out,
    cpuProf: values['cpu-prof'] ?? null,
    markdown: values.markdown ?? null,
    from: values.from ?? null,
    help: values.help,
  };
}

function figureName(text: string): FigureName {
  const name = FIGURE_NAMES.find((one) => one === text.trim());
  if (name !== undefined) return name;
  throw new Error(`--only ${text}: there is no such figure. Figures: ${FIGURE_NAMES.join(', ')}`);
}

function backendName(text: string): Backend {
  if (text === 'redis' || text === 'postgres') return text;
  throw new Error(`--backend ${text}: expected redis or postgres`);
}
