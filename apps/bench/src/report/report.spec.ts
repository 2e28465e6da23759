import { describe, expect, it } from '@jest/globals';
import { parseOptions } from '../options.js';
import { measure } from './measure.js';
import { intoDocument } from './document.js';
import { renderMarkdown, shown, type Report } from './report.js';
import { gaps, median, percentile } from './statistics.js';

describe('statistics', () => {
  it('take the middle, the nearest rank and the differences', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    const hundred = Array.from({ length: 100 }, (_, n) => 100 - n);
    expect([percentile(hundred, 0), percentile(hundred, 0.5), percentile(hundred, 0.99)]).toEqual([
      1, 50, 99,
    ]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(gaps([1, 4, 4, 10])).toEqual([3, 0, 6]);
  });

  it('refuse to make a figure out of nothing', () => {
    expect(() => median([])).toThrow(RangeError);
    expect(() => percentile([], 0.5)).toThrow(RangeError);
    expect(() => measure({ figure: 'x', what: 'y', value: Number.NaN, unit: 'ms' })).toThrow('not a number');
  });
});

describe('a measure', () => {
  const of = (value: number) => ({ figure: 'step', what: 'a step', value, unit: 'ms' });
  const peer = { name: 'floor', value: 2 };

  it('is judged by its value or by its ratio to the peer, bounds included', () => {
    expect(measure({ ...of(3), peer, goal: { of: 'value', atMost: 3 } })).toMatchObject({
      ratio: 1.5,
      met: true,
    });
    expect(measure({ ...of(3), peer, goal: { of: 'ratio', atMost: 1.4 } }).met).toBe(false);
    expect(measure({ ...of(3), goal: { of: 'value', atLeast: 4 } })).toMatchObject({
      ratio: null,
      met: false,
    });
    expect(measure({ ...of(1), goal: { of: 'value', exactly: 1 } }).met).toBe(true);
    expect(measure({ ...of(0), goal: { of: 'value', exactly: 1 } }).met).toBe(false);
    expect(measure(of(3))).toMatchObject({ peer: null, goal: null, met: null });
    expect(() => measure({ ...of(3), goal: { of: 'ratio', atMost: 1 } })).toThrow('needs a peer');
  });
});

describe('the report', () => {
  const report: Report = {
    startedAt: '2026-01-01T00:00:00.000Z',
    durationS: 61.26,
    quick: true,
    machine: {
      cpu: 'A CPU',
      cores: 2,
      memoryGib: 8,
      node: '20.19.0',
      postgres: '18.4',
      redis: null,
      fsyncsPerSecond: 1_234.5,
    },
    fsyncsPerSecondAfter: 99.95,
    loadBefore: 0.5,
    loadAfter: 2.25,
    failures: [{ figure: 'memory', message: 'no worker' }],
    measures: [
      measure({
        figure: 'submit',
        backend: 'redis',
        what: 'a | b',
        value: 1_234.5,
        unit: 'tasks/s',
        peer: { name: 'raw', value: 2_469 },
        goal: { of: 'value', atLeast: 1_000 },
        note: 'How it was.',
      }),
      measure({ figure: 'step', what: 'c', value: 0.01234, unit: 'ms', goal: { of: 'value', atMost: 0.01 } }),
    ],
  };

  it('shows machine, values, peers, goals and verdicts as a Markdown table', () => {
    const lines = renderMarkdown(report)
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '));
    expect(lines).toContain('2026-01-01T00:00:00.000Z, 61.3 s, quick (small counts: an indication only).');
    expect(lines).toContain('A CPU, 2 cores, 8 GiB; Node 20.19.0, PostgreSQL 18.4, no Redis.');
    expect(lines).toContain('fsync probe: 1,235/s before, 100/s after; load average 0.5 before, 2.25 after.');
    expect(lines).toContain(
      '| submit | redis | a \\| b | 1,235 tasks/s | raw: 2,469 (0.5x) | >= 1,000 tasks/s: met |',
    );
    expect(lines).toContain('| step | - | c | 0.0123 ms | - | <= 0.01 ms: **not met** |');
    expect(lines).toContain('- submit: How it was.');
    expect(lines).toContain('**memory could not be measured:** no worker');
  });

  it('shows all peers of a value in its row; says of one that is missing why, and judges nothing by it; and what is unequal to those that are there', () => {
    const step = { figure: 'step', what: 'd', value: 2, unit: 'ms' };
    const goal = { of: 'ratio', atMost: 1 } as const;
    const measures = [
      measure({ ...step, peer: { name: 'A 1', value: null, problem: 'not installed: no registry' }, goal }),
      measure({ ...step, peer: { name: 'B 2', value: 4, unequal: 'it stores less.' }, goal }),
      measure({ ...step, peer: { name: 'C 3', value: 8, unequal: 'it stores less.' } }),
    ];
    expect(measures.map(({ ratio, met }) => [ratio, met])).toEqual([
      [null, null],
      [0.5, true],
      [0.25, null],
    ]);
    const lines = renderMarkdown({ ...report, measures })
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' '));
    expect(lines).toContain(
      '| step | - | d | 2 ms | A 1: not installed: no registry; B 2: 4 (0.5x); C 3: 8 (0.25x) | <= 1x of A 1: not judged; <= 1x of B 2: met |',
    );
    expect(lines).toContain('- step, unequal to B 2, C 3: it stores less.');
  });

  it('takes its place in a document and leaves the rest as it is', () => {
    const marks = ['<!-- bench: written by `npm run bench -- --markdown` -->', '<!-- /bench -->'];
    const document = `# Costs\n\n${marks.join('\n\nold\n\n')}\n\nWhy.\n`;
    const once = intoDocument(document, report);
    expect(once).toMatch(
      /^# Costs\n\n<!-- bench: .* -->\n\n2026-01-01.*\n[^]*not met[^]*<!-- \/bench -->\n\nWhy\.\n$/,
    );
    expect(once).not.toContain('old');
    expect(intoDocument(once, report)).toBe(once);
    expect(() => intoDocument('# Costs\n', report)).toThrow('needs one line');
  });

  it('survives JSON whole', () => {
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it('rounds to what a noisy machine can mean', () => {
    expect([0, 0.001234, 1.005, 99.94, 1_234_567].map(shown)).toEqual([
      '0',
      '0.00123',
      '1',
      '99.9',
      '1,234,567',
    ]);
  });
});

describe('the command line', () => {
  it('takes all figures and both backends unless told otherwise', () => {
    const all = parseOptions([]);
    expect(all).toMatchObject({
      json: false,
      quick: false,
      backend: null,
      out: '.bullpen/bench',
      cpuProf: null,
    });
    expect(all.figures).toContain('submit');
    expect(parseOptions(['--only', 'step, growth', '--backend', 'redis', '--quick', '--json'])).toMatchObject(
      {
        figures: ['step', 'growth'],
        backend: 'redis',
        quick: true,
        json: true,
      },
    );
  });

  it.each([[['--only', 'speed']], [['--backend', 'kafka']], [['--fast']]])('refuses %j', (args) => {
    expect(() => parseOptions(args)).toThrow();
  });
});
