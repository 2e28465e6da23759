/** Numbers that test runners print: how many tests ran, how many failed, and how much they cover. */

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** Each finds one kind of summary; the last one in an output counts, as it is that of the whole run. */
const SUMMARIES: readonly { readonly pattern: RegExp; readonly counts: (words: string) => Counts }[] = [
  // jest: "Tests:       1 failed, 2 passed, 3 total"; vitest: "Tests  2 passed (2)"
  { pattern: /^\s*Tests:?\s+(.*(?:passed|failed|total).*)$/gm, counts: inWords },
  // node --test: "# pass 3" and "# fail 0", or "ℹ pass 3"
  { pattern: /^[#ℹ] (pass \d+[\s\S]*?^[#ℹ] fail \d+)/gm, counts: inNode },
  // pytest: "=== 2 passed, 1 failed in 0.1s ===", and with -q without the signs
  {
    pattern: /^=*\s*((?:\d+ (?:passed|failed|errors?)\b.*) in [\d.]+s.*|no tests ran.*)$/gm,
    counts: inWords,
  },
  // mocha: "3 passing" and "1 failing"
  { pattern: /^\s*(\d+ passing(?:[\s\S]{0,80}?\d+ failing)?)/gm, counts: inWords },
  // cargo: "test result: ok. 3 passed; 0 failed;"
  { pattern: /^test result: (.*)$/gm, counts: inWords },
  // unittest: "Ran 3 tests in 0.1s"
  { pattern: /^Ran (\d+) tests? in/gm, counts: (words) => ({ passed: Number(words), failed: 0 }) },
  // Maven: "Tests run: 3, Failures: 0, Errors: 0"
  { pattern: /Tests run: (\d+, Failures: \d+, Errors: \d+)/g, counts: inMaven },
];

/** What the output says of the tests that ran; null: nothing that is known. */
export function countsOf(output: string): Counts | null {
  for (const { pattern, counts } of SUMMARIES) {
    const found = [...output.matchAll(pattern)].map(([, words = '']) => counts(words));
    if (found.length === 0) continue;
    // Cargo and workspaces print one for each part.
    return found.reduce((sum, { passed, failed }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
    }));
  }
  return null;
}

function inWords(words: string): Counts {
  return {
    passed: numberOf(words, /(\d+) pass(?:ed|ing)/),
    failed: numberOf(words, /(\d+) fail(?:ed|ing)/) + numberOf(words, /(\d+) errors?\b/),
  };
}

function inNode(words: string): Counts {
  return { passed: numberOf(words, /pass (\d+)/), failed: numberOf(words, /fail (\d+)/) };
}

function inMaven(words: string): Counts {
  const failed = numberOf(words, /Failures: (\d+)/) + numberOf(words, /Errors: (\d+)/);
  return { passed: numberOf(words, /^(\d+)/) - failed, failed };
}

const COVERAGE: readonly RegExp[] = [
  // Istanbul's table: statements, branches, functions, lines
  /^\s*All files\s*\|\s*[\d.]+\s*\|\s*[\d.]+\s*\|\s*[\d.]+\s*\|\s*([\d.]+)/m,
  // node --test: lines come first
  /^[#ℹ] all files?\s*\|\s*([\d.]+)/m,
  // coverage.py
  /^TOTAL\s.*?([\d.]+)%\s*$/m,
  // go test -cover
  /^(?:ok\s.*)?coverage: ([\d.]+)% of statements/m,
];

/** Percent of the lines that the tests reach; null: the output does not say. */
export function coverageOf(output: string): number | null {
  const words = COVERAGE.map((pattern) => pattern.exec(output)?.[1]).find((found) => found !== undefined);
  return words === undefined ? null : Number(words);
}

function numberOf(words: string, pattern: RegExp): number {
  return Number(pattern.exec(words)?.[1] ?? 0);
}
