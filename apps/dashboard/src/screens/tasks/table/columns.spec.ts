import { describe, expect, it } from '@jest/globals';
import { AS_IT_COMES, choiceIn, choicesOf, columnsOf, withShown, withWidth } from './columns.js';

const ids = (choice = AS_IT_COMES) => columnsOf(choice).map(({ id }) => id);
const widthOf = (choice: typeof AS_IT_COMES, id: string) =>
  columnsOf(choice).find((column) => column.id === id)?.width;

describe('the columns of a list', () => {
  it('are those that most need, and the title always', () => {
    expect(ids()).toEqual(['state', 'title', 'agent', 'tree', 'cost', 'time', 'age']);
    expect(ids(withShown(AS_IT_COMES, new Set()))).toEqual(['title']);
    expect(choicesOf(AS_IT_COMES).map(({ id }) => id)).not.toContain('title');
  });

  it('are shown in their order, whichever one turns on first', () => {
    expect(ids(withShown(AS_IT_COMES, new Set(['age', 'model', 'state'])))).toEqual([
      'state',
      'title',
      'model',
      'age',
    ]);
  });

  it('are as wide as one drew them, within reason, until they are as they came', () => {
    const wide = withWidth(AS_IT_COMES, 'agent', 200.4);
    expect(widthOf(wide, 'agent')).toBe(200);
    expect(widthOf(withWidth(wide, 'agent', 4), 'agent')).toBe(56);
    expect(widthOf(withWidth(wide, 'agent', 4_000), 'agent')).toBe(480);
    expect(widthOf(withWidth(wide, 'agent', null), 'agent')).toBe(112);
  });

  it('are remembered, and what is no choice of columns is as if there were none', () => {
    const choice = withWidth(withShown(AS_IT_COMES, new Set(['tags'])), 'tags', 300);
    expect(choiceIn(JSON.stringify(choice))).toEqual(choice);
    for (const text of [null, '', '{', '[]', 'null', '{"shown":3,"widths":{"agent":"wide","none":5}}'])
      expect(choiceIn(text)).toEqual(AS_IT_COMES);
  });
});
