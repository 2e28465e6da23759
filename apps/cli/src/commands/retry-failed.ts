/** `bullpen retry --failed`: many tasks at once; a look first, unless --yes was given. */
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  BulkActionView,
  BulkPreview,
  CreateBulkActionInput,
  RetryTaskInput,
  StopCause,
} from '@bullpen/contracts';
import { connect, PATIENT_RETRIES, printJson, type Client, type Context, type Options } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { usd } from '../render/format.js';
import { plainText } from '../render/plain-text.js';
import { renderTable } from '../render/table.js';

export interface BulkFlags {
  readonly failed?: boolean;
  readonly cause?: StopCause;
  readonly errorClass?: string;
  readonly agent?: string;
  readonly tag?: string;
  readonly since?: string;
  readonly yes?: boolean;
}

/** How often it looks how far the gateway is, in ms. */
const LOOK_MS = 300;
const SHOWN_REFUSALS = 20;

/** Exit code 7 when something was to be tried again and could not be. */
export async function retryFailed(
  context: Context,
  options: Options<BulkFlags>,
  how: RetryTaskInput,
): Promise<void> {
  const { cause, errorClass, agent, tag, since, yes } = options;
  const body: CreateBulkActionInput = {
    action: { verb: 'retry', ...how },
    filter: {
      ...{ state: ['failed'], roots: true },
      ...(cause !== undefined && { cause }),
      ...(errorClass !== undefined && { errorClass }),
      ...(agent !== undefined && { agent }),
      ...(tag !== undefined && { tag }),
      ...(since !== undefined && { createdAfter: since }),
    },
  };
  const { client } = connect(context, options, PATIENT_RETRIES);
  const anew = how.mode === 'new';
  if (yes) return doIt(context, client, body, options.json === true, anew);
  const preview = await client.bulkActions.preview(body);
  if (options.json) return printJson(context.io, preview);
  show(context, preview, anew);
}

const howText = (anew: boolean): string => (anew ? 'run again from the start' : 'given another attempt');

function show({ io }: Context, preview: BulkPreview, anew: boolean): void {
  const { matched, considered, able, refused, byCause, costSoFarUsd } = preview;
  if (matched === 0) return io.err(io.errColors.dim('No failed tasks match.'));
  io.out(
    renderTable(
      byCause,
      [
        { title: 'CAUSE', value: ({ cause }) => plainText(cause) },
        { title: 'FAILED', value: (row) => String(row.matched), align: 'right' },
        { title: 'CAN BE RETRIED', value: (row) => String(row.able), align: 'right' },
      ],
      io.tableColumns(),
      io.outColors,
    ),
  );
  for (const { id, reason } of refused) io.err(`${io.errColors.yellow('not')} ${id}: ${plainText(reason)}`);
  const hidden = considered - able - refused.length;
  if (hidden > 0) io.err(io.errColors.dim(`and ${hidden} more that cannot be retried`));
  const looked = considered === matched ? '' : ` (looked at ${considered})`;
  io.err(
    `${able} of ${matched}${looked} would be ${howText(anew)}; they have cost ${usd(costSoFarUsd)} so far. To do it, add --yes`,
  );
}

async function doIt(
  context: Context,
  client: Client,
  body: CreateBulkActionInput,
  asJson: boolean,
  anew: boolean,
): Promise<void> {
  const { io } = context;
  const action = await untilEnd(client, await client.bulkActions.create(body));
  const refused = await client.bulkActions.items(action.id, { state: 'refused', limit: SHOWN_REFUSALS });
  if (action.refused > 0) context.setExitCode(EXIT.conflict);
  if (asJson) return printJson(io, { ...action, items: refused.data });
  if (action.total === 0) return io.err(io.errColors.dim('No failed tasks match.'));
  for (const { taskId, reason } of refused.data)
    io.err(`${io.errColors.yellow('not')} ${taskId}: ${plainText(reason ?? '')}`);
  const hidden = action.refused - refused.data.length;
  if (hidden > 0) io.err(io.errColors.dim(`and ${hidden} more that cannot be retried`));
  io.err(`${action.done} of ${action.total} are ${howText(anew)}; twenty start each second.`);
}

/** The gateway goes on with it also when nobody looks. */
async function untilEnd(client: Client, begun: BulkActionView): Promise<BulkActionView> {
  let action = begun;
  while (action.state === 'running') {
    await sleep(LOOK_MS);
    action = await client.bulkActions.get(action.id);
  }
  return action;
}
