/** What a task has written while it ran. */
import { aDefinition } from '../builders.js';
import {
  AGENT,
  AT,
  CALL_NANO_USD,
  ENDED,
  EVENTS_A_TASK,
  FAILURE,
  FAMILY,
  IS_ROOT,
  KIND,
  MADE,
  MODEL,
  PROMPT,
  REASON,
  ROOT,
  SAID,
  STATE,
  TASK,
  TURNS,
  WAITS,
} from './names.js';

/** As long as an agent's usual instructions. */
const DEFINITION = JSON.stringify(aDefinition({ name: '$AGENT', systemPrompt: 'x'.repeat(900) }));

const TASK_COLUMNS: Readonly<Record<string, string>> = {
  ...{ id: TASK, root_id: ROOT, tenant_id: `'default'`, title: `'Task n' || g`, prompt: PROMPT },
  ...{ agent: AGENT, model: MODEL, workspace: `'{"kind":"empty"}'` },
  definition: `replace('${DEFINITION}', '$AGENT', ${AGENT})::json`,
  ...{ parent_id: `CASE WHEN NOT (${IS_ROOT}) THEN ${ROOT} END`, depth: `(NOT (${IS_ROOT}))::int` },
  ...{ tags: `ARRAY['t' || g / ${FAMILY} % 50]`, state: `(${STATE})::task_state` },
  wait_reason: `CASE WHEN ${WAITS} THEN ${REASON} END`,
  wait_id: `CASE WHEN ${WAITS} OR ${IS_ROOT} THEN 'wait_' || g END`,
  stop_cause: `(ARRAY['goal', 'goal', 'goal', 'error', 'cancelled'])[1 + ${KIND}]`,
  ...{ failure: FAILURE, epoch: '1', turns: `${TURNS}`, active_ms: '60000' },
  ...{ message_seq: `${2 * TURNS}`, event_seq: `${EVENTS_A_TASK}` },
  child_count: `CASE WHEN ${IS_ROOT} THEN ${FAMILY - 1} ELSE 0 END`,
  ...{ input_tokens: `${100 * TURNS}`, output_tokens: `${20 * TURNS}` },
  ...{ cache_read_tokens: `${900 * TURNS}`, cost_nano_usd: `${CALL_NANO_USD * TURNS}` },
  ...{ created_at: MADE, started_at: MADE, leased_at: MADE },
  ...{ ended_at: `CASE WHEN NOT (${WAITS}) THEN ${ENDED} END` },
  updated_at: `CASE WHEN ${WAITS} THEN ${MADE} ELSE ${ENDED} END`,
};

/** The same texts that can be found are in `SEARCH_TEXTS`. */
const EVENT = `CASE WHEN s = 1 THEN 'task.created' WHEN s IN (2, ${EVENTS_A_TASK}) THEN 'task.status_changed'
  WHEN s % 9 = 0 THEN 'message.agent' ELSE 'tool.finished' END`;
const DATA = `(CASE
  WHEN s = 1 THEN '{"title":"Task n' || g || '","agent":"' || ${AGENT} || '","model":"' || ${MODEL} || '","parentId":null,"depth":0,"prompt":"' || ${PROMPT} || '"}'
  WHEN s = 2 THEN '{"from":"queued","to":"running"}'
  WHEN s = ${EVENTS_A_TASK} THEN '{"from":"running","to":"' || ${STATE} || '"}'
  WHEN s % 9 = 0 THEN '{"messageId":"msg_' || g || '_' || s || '","turn":' || s / 9 || ',"text":"' || ${SAID} || '"}'
  ELSE '{"callId":"call_' || g || '_' || s || '","tool":"read_file","turn":1,"state":"done","durationMs":5,"preview":"' || repeat('p', 120) || '"}'
  END)::json`;
const CONTENT = `(CASE
  WHEN s = 1 THEN '[{"type":"text","text":"' || ${PROMPT} || '"}]'
  WHEN s = ${2 * TURNS} THEN '[{"type":"text","text":"' || ${SAID} || '"}]'
  WHEN s % 2 = 1 THEN '[{"type":"tool_result","tool_use_id":"toolu_' || s / 2 || '","content":"' || repeat('o', 200) || '"}]'
  ELSE '[{"type":"tool_use","id":"toolu_' || s / 2 || '","name":"read_file","input":{"path":"a"}}]' END)::json`;
const PRICE = `'{"input":3000,"output":15000,"cacheRead":300,"cacheWrite5m":3750,"cacheWrite1h":6000}'::json`;

/** $1 and $2: the first and the last number of a task. */
const TASKS = 'generate_series($1::int, $2::int) g';
const rowsOf = (count: number) => `${TASKS}, generate_series(1, ${count}) s`;
const CALL = `'mcall_' || g || '_' || s`;
const texts = (field: string, words: string, seq: string, from: string) => `
  INSERT INTO search_texts (task_id, seq, field, at, lexemes)
  SELECT ${TASK}, ${seq}, '${field}', ${MADE}, array_to_tsvector(ARRAY['@default', 'n' || g, ${words}]) FROM ${from}`;

export const TASK_ROWS: readonly string[] = [
  `INSERT INTO tasks (${Object.keys(TASK_COLUMNS).join(', ')}) SELECT ${Object.values(TASK_COLUMNS).join(', ')} FROM ${TASKS}`,
  `INSERT INTO attempts (task_id, number, started_at, ended_at) SELECT ${TASK}, 1, ${MADE}, CASE WHEN NOT (${WAITS}) THEN ${ENDED} END FROM ${TASKS}`,
  `INSERT INTO ui_events (task_id, root_id, tenant_id, seq, type, data, epoch, at)
   SELECT ${TASK}, ${ROOT}, 'default', s, ${EVENT}, ${DATA}, CASE WHEN s > 1 THEN 1 END, ${AT} FROM ${rowsOf(EVENTS_A_TASK)}`,
  `INSERT INTO api_messages (id, task_id, seq, turn, epoch, created_at, role, content)
   SELECT 'msg_' || g || '_' || s, ${TASK}, s, (s + 1) / 2, 1, ${AT}, (ARRAY['assistant', 'user'])[1 + s % 2]::message_role, ${CONTENT}
   FROM ${rowsOf(2 * TURNS)}`,
  `INSERT INTO model_calls (id, task_id, turn, attempt, phase, model, status, request_hash, request_messages, started_at, ended_at)
   SELECT ${CALL}, ${TASK}, s, 1, 'work', ${MODEL}, 'done', md5(g || '_' || s), 2 * s - 1, ${AT}, ${AT} FROM ${rowsOf(TURNS)}`,
  `INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, at, price, input_tokens, output_tokens, cache_read_tokens,
     cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd)
   SELECT ${CALL}, ${TASK}, ${ROOT}, 'default', ${AGENT}, ${MODEL}, ${AT}, ${PRICE}, 100, 20, 900, 0, 0, ${CALL_NANO_USD} FROM ${rowsOf(TURNS)}`,
  `INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, arguments, output, started_epoch,
     started_at, ended_at)
   SELECT 'call_' || g || '_' || s, ${TASK}, 'msg_' || g || '_' || 2 * s, s, 0, 'toolu_' || s, 'read_file', 'done', '{"path":"a"}', '{"path":"a"}',
     repeat('o', 200), 1, ${AT}, ${AT} FROM ${rowsOf(TURNS - 1)}`,
  texts('title', `'task'`, '1', TASKS),
  texts('prompt', `'do', 'part', 'of', 'the', 'work', 'on', 'topic' || g % 50`, '1', TASKS),
  texts('agent', `'part', 'is', 'done', 'as', 'asks', 'topic' || g % 50`, '9 * s', rowsOf(3)),
];
