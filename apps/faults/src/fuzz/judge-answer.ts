/** What every answer must be, whatever was asked. */
import { Problem } from '@bullpen/contracts';
import type { OddRequest } from './odd-request.js';
import type { Exchange, RawAnswer } from './raw-http.js';

/** Codes whose problem lies in a field of the request, which the document has to name. */
const ABOUT_FIELDS = new Set([
  'invalid_request',
  'invalid_json',
  'invalid_input',
  'invalid_answer',
  'unknown_agent',
  'unknown_tool',
]);

/** What is wrong with this exchange; null when nothing is. */
export function judgeExchange(request: OddRequest, { answers, hung }: Exchange): string | null {
  if (hung) return 'it was not answered in time';
  if (answers.length === 0 && !request.isBroken) return 'the connection was closed without an answer';
  for (const answer of answers) {
    const fault = judgeAnswer(request, answer);
    if (fault !== null) return fault;
  }
  return null;
}

function judgeAnswer({ isHead }: OddRequest, { status, type, body }: RawAnswer): string | null {
  if (status < 200 || status > 599) return `it is no answer of HTTP (${status})`;
  if (status >= 500) return `it was answered with ${status}`;
  if (status < 400 || isHead) return null;
  if (!type.startsWith('application/problem+json'))
    return `${status} is no problem document but ${type || 'nothing'}`;
  const problem = Problem.safeParse(parsed(body));
  if (!problem.success) return `${status} is no problem document: ${problem.error.message}`;
  const { code, errors, status: told } = problem.data;
  if (told !== status) return `the document says ${told}, and the answer ${status}`;
  if (ABOUT_FIELDS.has(code) && (errors ?? []).length === 0)
    return `${code} names no field: ${problem.data.detail.slice(0, 120)}`;
  return null;
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return body.toString('latin1', 0, 200);
  }
}
