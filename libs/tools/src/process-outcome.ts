/** What a model reads when a process has ended. */
import type { ToolOutcome } from '@bullpen/core';
import { isSuccess, shownOutput, type ProcessReport } from '@bullpen/workspace';

/** Bytes of output that a result has: its first and its last half of them. The rest is there to be read. */
const MAX_SHOWN_BYTES = 1_000_000;
const MAX_REFUSALS = 5;

/** The result of a call that waited for the end of a process: how it ended, and its output. */
export async function endedOutcome(folder: string, report: ProcessReport): Promise<ToolOutcome> {
  const shown = await shownOutput(folder, MAX_SHOWN_BYTES);
  return {
    kind: 'result',
    output: [...endLines(report), shown === '' ? '(no output)' : shown].join('\n'),
    isError: !isSuccess(report),
    exitCode: report.exitCode,
  };
}

/** The real cause comes first: a code of 0 after it would say nothing. */
export function endLines({
  state,
  cause,
  exitCode,
  signal,
  takenBack,
  refusedHosts,
  outputProblem,
}: ProcessReport): string[] {
  const how = exitCode !== null ? `exit code ${exitCode}` : signal !== null ? `killed by ${signal}` : null;
  const advice = state === 'timed_out' ? '; set a longer timeoutMs or run something smaller' : '';
  const first = cause === null ? how : [`${cause}${advice}`, how].filter((part) => part !== null).join('; ');
  return [
    first ?? 'ended',
    ...(takenBack.length > 0
      ? [`changes of protected paths were taken back: ${takenBack.slice(0, 20).join(', ')}`]
      : []),
    ...refusedHosts.slice(0, MAX_REFUSALS).map((reason) => `refused by the sandbox: ${reason}`),
    ...(outputProblem ? [`a part of its output could not be kept: ${outputProblem.message}`] : []),
  ];
}
