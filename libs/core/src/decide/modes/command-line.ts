/** What the end of a command line says about one of its commands. Only plain lines are understood; of others nothing is claimed. */

const QUOTED = /"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*'/gs;
/** Behind these, the exit code of a line may be that of something else. */
const UNCERTAIN = /\|\||[;|\n]|(?<![&>])&(?![&>])/;
const BEFORE = String.raw`^(?:[A-Za-z_]\w*=\S*\s+|(?:time|env|nice|command)\s+|timeout\s+\S+\s+)*`;

/** The commands of a line that all ran and ended well when the line ended with 0; empty for lines that do not say so. */
export function chainOf(line: string): readonly string[] {
  const bare = line.replaceAll(QUOTED, '""').trim();
  return UNCERTAIN.test(bare) ? [] : bare.split('&&').map((part) => part.trim());
}

const RUNNERS = [
  String.raw`(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:t|tst|test)(?:[:-][\w:-]*)?`,
  String.raw`(?:npx\s+(?:--\S+\s+)*|yarn\s+|pnpm\s+(?:exec\s+)?|\S*node_modules/\.bin/)?(?:jest|vitest|mocha|ava|tap|playwright\s+test|cypress\s+run)`,
  String.raw`node\s+(?:--\S+\s+)*--test`,
  String.raw`(?:python[\d.]*\s+-m\s+)?(?:pytest|unittest|nose2|tox)`,
  String.raw`(?:go|cargo|dotnet|deno|swift|flutter|mix|sbt|zig)\s+test`,
  String.raw`cargo\s+nextest`,
  String.raw`(?:\./)?(?:mvnw?|gradlew?)\s+(?:\S+\s+)*(?:test|verify|check)`,
  String.raw`(?:make|just|task|rake)\s+(?:test|check)`,
  String.raw`(?:bundle\s+exec\s+)?rspec`,
  String.raw`(?:\S*/)?(?:phpunit|ctest|bats)`,
];
const TEST = new RegExp(`${BEFORE}(?:${RUNNERS.join('|')})(?:\\s|$)`);
/** These list tests, or watch for changes, and say nothing about whether they pass. */
const NO_RUN = /\s(?:--listTests|--list|--collect-only|--co|--watch(?:All)?|-h|--help|--version)(?:\s|=|$)/;

/** Whether a command runs tests. */
export function isTestRun(command: string): boolean {
  return TEST.test(command) && !NO_RUN.test(command);
}

const COMMIT = new RegExp(`${BEFORE}git\\s+(?:-\\S+\\s+(?:\\S+\\s+)?)*commit(?:\\s|$)`);

/** Whether a command makes a commit. */
export function isCommit(command: string): boolean {
  return COMMIT.test(command) && !/\s--dry-run(?:\s|$)/.test(command);
}
