/** Entry of the bench: measures, prints, writes the files. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { errorText } from '@bullpen/contracts';
import { FIGURES } from './figures/index.js';
import { openLab } from './lab/lab.js';
import { parseOptions, USAGE, type BenchOptions } from './options.js';
import { intoDocument } from './report/document.js';
import { fsyncsPerSecond, inspectMachine } from './report/machine.js';
import type { Measure } from './report/measure.js';
import { renderMarkdown, type Report } from './report/report.js';

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  const report = options.from === null ? await bench(options) : await earlier(options.from, options);
  const json = `${JSON.stringify(report, null, 2)}\n`;
  const markdown = renderMarkdown(report);
  await mkdir(options.out, { recursive: true });
  await writeFile(join(options.out, 'bench.json'), json);
  await writeFile(join(options.out, 'bench.md'), markdown);
  if (options.markdown !== null) {
    const document = await readFile(options.markdown, 'utf8');
    await writeFile(options.markdown, intoDocument(document, report));
  }
  process.stdout.write(options.json ? json : markdown);
  if (report.failures.length > 0) process.exitCode = 1;
}

/** A report of our own, as it was written, of the figures that are wanted. */
async function earlier(path: string, { figures }: BenchOptions): Promise<Report> {
  const report = JSON.parse(await readFile(path, 'utf8')) as Report;
  return {
    ...report,
    measures: report.measures.filter(({ figure }) => figures.some((one) => one === figure)),
  };
}

async function bench(options: BenchOptions): Promise<Report> {
  const started = new Date();
  const [loadBefore = 0] = loadavg();
  const lab = await openLab({ ...options, say });
  try {
    const machine = inspectMachine(lab.folder, lab.versions);
    const measures: Measure[] = [];
    const failures: Report['failures'][number][] = [];
    // One after the other: figures that share the cores would measure each other.
    for (const name of options.figures) {
      try {
        measures.push(...(await FIGURES[name](lab)));
      } catch (error) {
        // The others are still worth knowing; the exit code tells that not all is well.
        const message = errorText(error);
        say(`${name} could not be measured: ${message}`);
        failures.push({ figure: name, message });
      }
    }
    return {
      startedAt: started.toISOString(),
      durationS: (Date.now() - started.getTime()) / 1_000,
      quick: options.quick,
      machine,
      fsyncsPerSecondAfter: fsyncsPerSecond(lab.folder),
      loadBefore,
      loadAfter: loadavg()[0] ?? 0,
      measures,
      failures,
    };
  } finally {
    await lab.close();
  }
}

function say(text: string): void {
  process.stderr.write(`bench: ${text}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
