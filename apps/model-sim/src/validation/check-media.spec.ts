import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../api-error.js';
import { A_TOOL, aRequest, aUser } from '../testing/api-client.js';
import { validateMessagesRequest } from './validate-request.js';

function refusal(...messages: object[]): string {
  try {
    validateMessagesRequest(aRequest({ tools: [A_TOOL], messages: messages as never }));
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
  return 'accepted';
}
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const base64 = (start: string) => Buffer.from(start, 'latin1').toString('base64');
const PNG = base64('\u0089PNG\r\n\u001a\n1234');
const picture = (data: string, media_type = 'image/png') => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const pdf = (pages: number) => ({
  type: 'document',
  source: {
    ...{ type: 'base64', media_type: 'application/pdf' },
    data: base64(`%PDF-1.4 ${'<< /Type /Page >>'.repeat(pages)}`),
  },
});

describe('pictures and documents', () => {
  it.each([
    ['a picture', picture(PNG), 'accepted'],
    ['a PDF', pdf(3), 'accepted'],
    ['an SVG', picture(base64('<svg/>'), 'image/svg+xml'), "Input should be 'image/jpeg'"],
    ['another type than it says', picture(PNG, 'image/jpeg'), 'appears to be a image/png image'],
    ['no picture', picture(base64('hello')), 'Could not process image'],
    ['no base64', picture('!!'), 'valid base64 data'],
    [
      'too many bytes',
      picture(`${PNG.replaceAll('=', 'A')}${'A'.repeat(5_242_880)}`),
      'image exceeds 5 MB maximum',
    ],
    ['too many pages', pdf(601), 'A maximum of 600 PDF pages'],
    ['no source', { type: 'image' }, 'source: Field required'],
  ])('%s in a message and in a tool result', (_, block, said) => {
    expect(refusal(user(block))).toContain(said);
    const call = assistant({ type: 'tool_use', id: 'toolu_1', name: 'look', input: {} });
    const result = user({ type: 'tool_result', tool_use_id: 'toolu_1', content: [block] });
    expect(refusal(aUser('x'), call, result)).toContain(said);
  });

  it("are the user's alone", () => {
    expect(refusal(aUser('x'), assistant(picture(PNG)), aUser('y'))).toContain(
      'can only be in `user` messages',
    );
  });
});

describe('tools of the provider', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const words = { type: 'text', text: 'ok' };
  const ours = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'seen' };

  it.each([
    ['a pair', [assistant(search, found, words), aUser('y')], 'accepted'],
    ['a pause that goes on', [assistant(search)], 'accepted'],
    ['a pair over a pause', [assistant(search), assistant(found, words), aUser('y')], 'accepted'],
    ['beside a call of the client', [assistant(search, ours), user(result)], 'accepted'],
    ['a call that stays open', [assistant(words, search), aUser('y')], 'was found without a corresponding'],
    ['a result alone', [assistant(found, words), aUser('y')], 'unexpected `tool_use_id`'],
    ['a result before its call', [assistant(found, search), aUser('y')], 'unexpected `tool_use_id`'],
  ])('%s', (_, messages, said) => {
    expect(refusal(aUser('x'), ...messages)).toContain(said);
  });
});
