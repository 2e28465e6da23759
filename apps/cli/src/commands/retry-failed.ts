/** `bullpen retry --failed`: many tasks at once; a look first, unless --yes was given. */
import type { RetryReport, RetryTaskInput, StopCause } from '@bullpen/contracts';
import { connect, PATIENT_RETRIES, printJson, type Context, type Options } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { nounFor, usd } from '../render/format.js';
import { plainText } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';

export interface BulkFlags {
  readonly failed?: boolean;
  readonly cause?: StopCause;
  readonly errorClass?: string;
  readonly agent?: string;
  readonly tag?: string;
  readonly since?: string;
  readonly max?: number;
  readonly yes?: boolean;
}

/** Exit code 7 when something was to be tried again and could not be. */
export async function retryFailed(
  context: Context,
  options: Options<BulkFlags>,
  how: RetryTaskInput,
): Promise<void> {
  const { cause, errorClass, agent, tag, since, max, yes } = options;
  const filter = {
    ...(cause !== undefined && { cause }),
    ...(errorClass !== undefined && { errorClass }),
    ...(agent !== undefined && { agent }),
    ...(tag !== undefined && { tag }),
    ...(since !== undefined && { createdAfter: since }),
  };
  const { client } = connect(context, options, PATIENT_RETRIES);
  const report = await client.tasks.retryAll({
    ...how,
    filter,
    dryRun: yes !== true,
    ...(max !== undefined && { max }),
  });
  if (yes && report.refused.length > 0) context.setExitCode(EXIT.conflict);
  if (options.json) return printJson(context.io, report);
  show(context, report, how.mode === 'new');
}

function show({ io }: Context, report: RetryReport, anew: boolean): void {
  const { matched, considered, retryable, retried, refused, dryRun } = report;
  if (matched === 0) return io.err(io.errColors.dim('No failed tasks match.'));
  io.out(
    renderTable(
      report.byCause,
      [
        { title: 'CAUSE', value: ({ cause }) => plainText(cause) },
        { title: 'FAILED', value: (row) => String(row.matched), align: 'right' },
        {
          title: dryRun ? 'CAN BE RETRIED' : 'RETRIED',
          value: (row) => String(row.retryable),
          align: 'right',
        },
      ],
      io.tableColumns(),
      io.outColors,
    ),
  );
  for (const { id, reason } of refused) io.err(`${io.errColors.yellow('not')} ${id}: ${plainText(reason)}`);
  const hidden = considered - retryable - refused.length;
  if (hidden > 0) io.err(io.errColors.dim(`and ${hidden} more that cannot be retried`));
  const how = anew ? 'run again from the start' : 'given another attempt';
  io.err(
    dryRun
      ? `${retryable} of ${matched} would be ${how}; they have cost ${usd(report.costSoFarUsd)} so far. To do it, add --yes`
      : `${retried.length} of ${matched} are ${how}; twenty start each second.`,
  );
  if (matched > considered)
    io.err(
      io.errColors.dim(
        `${matched - considered} more ${nounFor(matched - considered, 'matches', 'match')}: raise --max, or run this again.`,
      ),
    );
}
