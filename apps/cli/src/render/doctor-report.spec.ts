import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { invariantReport } from './doctor-report.js';

const report = (id: string, checked: number, violations: string[] = []) => ({
  id,
  title: `Rule ${id}`,
  holds: violations.length === 0,
  checked,
  violations,
});
const shown = (...reports: ReturnType<typeof report>[]): string =>
  invariantReport(reports, 80, pc.createColors(false));

describe('the report on the invariants', () => {
  it('says where there was nothing to check, and takes that for no proof', () => {
    expect(shown(report('I1', 12), report('I8', 0), report('I9', 1))).toBe(
      [
        '✓ I1   Rule I1 (12 rows checked)',
        '· I8   Rule I8 (nothing to check yet)',
        '✓ I9   Rule I9 (1 row checked)',
        '',
        'All invariants hold; 1 had nothing to check yet.',
      ].join('\n'),
    );
    expect(shown(report('I1', 1))).toContain('All invariants hold.');
  });

  it('shows what breaks one', () => {
    expect(shown(report('I1', 1, ['task x is gone']))).toBe(
      '✗ I1   Rule I1 (1 row checked)\n       task x is gone\n\n1 invariant broken.',
    );
  });
});
