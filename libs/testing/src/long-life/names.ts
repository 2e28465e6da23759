/** What the rows of a long life are made of: SQL over the number `g` of a task, which goes by families of ten, and over the number `s` of each of its rows. */

export const EVENTS_A_TASK = 30;
export const TURNS = 3;
export const FAMILY = 10;
export const CALL_NANO_USD = 600_000;
export const WEBHOOK = `webhook_${'1'.padStart(26, '0')}`;

export const idOf = (g: string, prefix = 'task') => `'${prefix}_' || lpad((${g})::text, 26, '0')`;
export const TASK = idOf('g');
export const ROOT = idOf(`g - g % ${FAMILY}`);
export const IS_ROOT = `g % ${FAMILY} = 0`;
/** The newest task was made an hour ago, and the oldest one thirty days before it. $3: how many there are. */
export const MADE = `now() - interval '1 hour' - interval '30 days' * ($3::int - g) / $3`;
export const AT = `${MADE} + s * interval '10 seconds'`;
export const ENDED = `${MADE} + interval '10 minutes'`;

/** Each family is all of one kind; the last of the six waits. */
export const KINDS = 6;
export const KIND = `g / ${FAMILY} % ${KINDS}`;
export const WAITS = `${KIND} = 5`;
export const STATE = `(ARRAY['completed', 'completed', 'completed', 'failed', 'cancelled', 'waiting'])[1 + ${KIND}]`;
export const REASON = `(ARRAY['children', 'approval', 'approval', 'approval', 'approval', 'budget', 'budget', 'backoff', 'answer',
  'message'])[1 + g % ${FAMILY}]::wait_reason`;
/** Of what waits: those that a person can wake. */
export const ASKS = `g % ${FAMILY} IN (1, 2, 3, 4, 5, 6, 8)`;
export const ASK_KIND = `(CASE WHEN g % ${FAMILY} IN (5, 6) THEN 'budget' WHEN g % ${FAMILY} = 8 THEN 'question' ELSE 'approval' END)::interaction_kind`;

export const AGENT = `(ARRAY['general', 'coder', 'reviewer', 'researcher'])[1 + g % 4]`;
export const MODEL = `(ARRAY['claude-opus-4-8', 'claude-sonnet-5-5'])[1 + g / ${FAMILY} % 2]`;
/** Words of all, of some, and one of the task's own. */
export const PROMPT = `'Do part n' || g || ' of the work on topic' || g % 50`;
export const SAID = `'Part n' || g || ' is done, as topic' || g % 50 || ' asks'`;
const BROKEN = `(ARRAY['connection', 'sandbox', 'compiler', 'network', 'disk', 'parser', 'schema', 'quota'])[1 + g / ${FAMILY * KINDS} % 8]`;
export const FAILURE = `CASE WHEN ${KIND} = 3 THEN json_build_object('cause', 'error', 'code', 'model_error', 'errorClass', 'server_error',
  'message', 'The ' || ${BROKEN} || ' of req_' || g || ' broke after ' || g % 97 || ' s in /srv/work/' || g) END`;
