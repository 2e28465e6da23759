import { describe, expect, it } from '@jest/globals';
import { EMPTY_CONTEXT, type ModeContext } from '../../task/mode-context.js';
import { chainOf, isCommit, isTestRun } from './command-line.js';
import { factsOf } from './conditions.js';
import { caughtUp, foldCall, foldChanges, type CallEffect } from './fold.js';
import { countsOf, coverageOf } from './test-output.js';

const effect = (more: Partial<CallEffect>): CallEffect => ({
  ...{ tool: 'run_command', group: 'execute', args: {}, facts: {}, isError: false },
  ...{ exitCode: undefined, output: '', turn: 1 },
  ...more,
});
const ran = (command: string, exitCode = 0, output = '', turn = 1) =>
  effect({ facts: { command }, exitCode, output, isError: exitCode !== 0, turn });
const wrote = (path: string, more: Partial<CallEffect> = {}) =>
  effect({
    ...{ tool: 'write_file', group: 'write', facts: { paths: [{ path, access: 'write', place: 'inside' }] } },
    ...more,
  });
const after = (...effects: readonly CallEffect[]): ModeContext => effects.reduce(foldCall, EMPTY_CONTEXT);

describe('a command line runs tests', () => {
  it.each([
    'npm test',
    'npm run test:unit -- --grep x',
    'CI=1 npx jest src',
    'cd lib && yarn test',
    'pnpm exec vitest run',
    'python3 -m pytest -q tests',
    'pytest',
    'go test ./...',
    'cargo test --all',
    './gradlew clean test',
    'mvn -q verify',
    'timeout 60 node --test',
    'bundle exec rspec',
    'make test',
  ])('%s', (line) => expect(chainOf(line).some(isTestRun)).toBe(true));

  it.each([
    ['npm test || true', 'its end is that of something else'],
    ['npm test | tail -5', 'its end is that of tail'],
    ['npm test; echo done', 'its end is that of echo'],
    ['npm test & sleep 1', 'it runs on'],
    ['echo "npm test"', 'it only says so'],
    ['npm testament', 'it is another script'],
    ['npx jest --listTests', 'it lists them'],
    ['npx vitest --watch', 'it never ends'],
    ['cat test', 'it is a file'],
    ['git commit -m "npm test"', 'it is a message'],
  ])('but not %s: %s', (line) => expect(chainOf(line).some(isTestRun)).toBe(false));

  it.each([
    ['git commit -qm "a; b && c"', true],
    ['git add -A && git -C sub commit -m x', true],
    ['git commit --dry-run', false],
    ['git log --grep commit', false],
  ])('%s commits: %s', (line, expected) => expect(chainOf(line).some(isCommit)).toBe(expected));
});

describe('what runners print', () => {
  it.each([
    ['jest', 'Tests:       1 failed, 2 skipped, 3 passed, 6 total', { passed: 3, failed: 1 }],
    ['vitest', '      Tests  1 failed | 4 passed (5)', { passed: 4, failed: 1 }],
    ['node', '# tests 3\n# suites 0\n# pass 2\n# fail 1', { passed: 2, failed: 1 }],
    ['node in colour', 'ℹ tests 3\nℹ pass 3\nℹ fail 0', { passed: 3, failed: 0 }],
    ['pytest', '==== 2 failed, 5 passed in 0.12s ====', { passed: 5, failed: 2 }],
    ['pytest without tests', '=== no tests ran in 0.01s ===', { passed: 0, failed: 0 }],
    ['mocha', '  3 passing (12ms)\n  1 failing', { passed: 3, failed: 1 }],
    [
      'cargo in parts',
      'test result: ok. 2 passed; 0 failed;\ntest result: ok. 3 passed; 0 failed;',
      { passed: 5, failed: 0 },
    ],
    ['unittest', 'Ran 4 tests in 0.001s\n\nOK', { passed: 4, failed: 0 }],
    ['Maven', 'Tests run: 5, Failures: 1, Errors: 0, Skipped: 0', { passed: 4, failed: 1 }],
    ['something else', 'all good', null],
  ])('%s', (_, output, counts) => expect(countsOf(output)).toEqual(counts));

  it('says how much is covered', () => {
    expect(coverageOf('All files |   90.1 |   80 |   70 |   88.5 |')).toBe(88.5);
    expect(coverageOf('TOTAL      120     12    90%')).toBe(90);
    expect(coverageOf('ok  \tpkg\t0.1s\tcoverage: 61.5% of statements')).toBe(61.5);
    expect(coverageOf('nothing of it')).toBeNull();
  });
});

describe('the mode context', () => {
  it('believes a run that ended with 0 and in which something ran and nothing failed', () => {
    const passes = (...effects: readonly CallEffect[]) => factsOf(after(...effects)).tests_passed;
    expect(passes(ran('npm test', 0, '# pass 2\n# fail 0'))).toBe(true);
    expect(passes(ran('go vet && go test ./...', 0, 'ok'))).toBe(true);
    expect(passes(ran('npm test', 0, '# pass 0\n# fail 0'))).toBe(false);
    expect(passes(ran('npm test', 0, '# pass 2\n# fail 1'))).toBe(false);
    expect(passes(ran('npm test', 1, '# pass 2\n# fail 1'))).toBe(false);
    expect(passes(ran('npm test || true', 0, '# pass 2\n# fail 0'))).toBe(false);
  });

  it('forgets a run with the next change of a file, whoever makes it; not with one of its own turn that nobody announced', () => {
    const tested = after(wrote('a.ts'), ran('npm test', 0, '# pass 2\n# fail 0', 3));
    expect(factsOf(tested).tests_passed).toBe(true);
    expect(factsOf(foldCall(tested, wrote('a.ts'))).tests_passed).toBe(false);
    expect(factsOf(foldCall(tested, wrote('a.ts', { isError: true }))).tests_passed).toBe(true);
    expect(factsOf(foldChanges(tested, ['coverage/x.json'], 3)).tests_passed).toBe(true);
    expect(factsOf(foldChanges(tested, ['a.ts'], 4)).tests_passed).toBe(true);
    expect(factsOf(foldChanges(tested, ['b.ts'], 4)).tests_passed).toBe(false);
  });

  it('counts files that were changed, not those that were looked at, until they are committed', () => {
    const read = (path: string) =>
      effect({
        tool: 'read_file',
        group: 'read',
        facts: { paths: [{ path, access: 'read', place: 'inside' }] },
      });
    const many = ['1', '2', '3', '4', '5', '6'];
    expect(factsOf(after(...many.map(read))).large_change).toBe(false);
    const changed = after(...many.map((path) => wrote(path)), wrote('1'));
    expect(factsOf(changed)).toMatchObject({ large_change: true, has_pending_changes: true });
    expect(factsOf(foldCall(changed, ran('git commit -m x', 1))).has_pending_changes).toBe(true);
    expect(factsOf(foldCall(changed, ran('git commit -m x'))).has_pending_changes).toBe(false);
  });

  it('has an error until a command goes well, or debugging is over', () => {
    const failed = after(ran('npm run build', 2, 'error TS2304'));
    expect(failed.lastError).toEqual({ tool: 'run_command', text: 'error TS2304' });
    expect(factsOf(foldCall(failed, ran('npm run build'))).has_errors).toBe(false);
    const row = {
      ...{ seq: 1, from: 'debug', trigger: 'fix_identified', to: 'implementation', source: 'agent' as const },
      ...{ by: null, reason: null, outcome: 'moved' as const, refusal: null, possible: [] },
    };
    expect(factsOf(caughtUp(failed, [row])).has_errors).toBe(false);
  });

  it('begins anew in idle, but for what is not committed; and counts each row once', () => {
    const worked = { ...after(wrote('a.ts'), ran('npm test', 1)), goal: 'change' as const };
    const row = {
      ...{ seq: 1, from: 'qa', trigger: 'abandoned', to: 'idle', source: 'agent' as const },
      ...{ by: null, reason: null, outcome: 'moved' as const, refusal: null, possible: [] },
    };
    const idle = caughtUp(worked, [row]);
    expect(idle).toEqual({ ...EMPTY_CONTEXT, seq: 1, changed: ['a.ts'] });
    const again = foldCall(idle, ran('npm run build', 1, 'no'));
    expect(caughtUp(again, [row])).toBe(again);
  });
});
