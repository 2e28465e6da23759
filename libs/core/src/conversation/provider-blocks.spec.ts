/** Calls of the provider's own tools and their results, as they are sent back. */
import { describe, expect, it } from '@jest/globals';
import type { ContentBlock } from '@bullpen/contracts';
import type { RequestMessage } from '../task/history.js';
import { withSettledCalls } from './provider-blocks.js';

const text: ContentBlock = { type: 'text', text: 'So.' };
const call = (id: string): ContentBlock => ({
  type: 'provider',
  block: { type: 'server_tool_use', id, name: 'web_search', input: {} },
});
const result = (id: string): ContentBlock => ({
  type: 'provider',
  block: { type: 'web_search_tool_result', tool_use_id: id, content: [] },
});
const said = (...content: ContentBlock[]): RequestMessage => ({ role: 'assistant', content });
const asked: RequestMessage = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };
const ours: ContentBlock = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} };

const sent = (...messages: RequestMessage[]) => withSettledCalls(messages).map(({ content }) => content);

describe("calls of the provider's tools", () => {
  it.each<[string, readonly ContentBlock[], readonly ContentBlock[]]>([
    ['stay with their results', [call('a'), result('a'), text], [call('a'), result('a'), text]],
    ['go where no result came', [text, call('a')], [text]],
    ['stay beside calls of ours: their results come later', [call('a'), ours], [call('a'), ours]],
    ['go with a result that stands before them', [result('a'), call('a'), text], [text]],
    ['are missed by no result that is sent', [result('b'), text], [text]],
    ['have one result', [call('a'), result('a'), text, result('a')], [call('a'), result('a'), text]],
    ['leave a word where nothing else is left', [result('b')], [{ type: 'text', text: '(nothing)' }]],
  ])('%s', (_, content, expected) => {
    expect(sent(asked, said(...content), asked)).toEqual([asked.content, expected, asked.content]);
  });

  it('of a paused answer stay open, and their results may come with the next one', () => {
    expect(sent(asked, said(call('a')))[1]).toEqual([call('a')]);
    const both = sent(asked, said(text, call('a')), said(result('a'), text), asked);
    expect(both.slice(1, 3)).toEqual([
      [text, call('a')],
      [result('a'), text],
    ]);
  });

  it('are the same message each time, so that it is measured once', () => {
    const messages = [asked, said(text, call('a')), asked];
    expect(withSettledCalls(messages)[1]).toBe(withSettledCalls(messages)[1]);
    const whole = [asked, said(call('a'), result('a')), asked];
    expect(withSettledCalls(whole)[1]).toBe(whole[1]);
  });
});
