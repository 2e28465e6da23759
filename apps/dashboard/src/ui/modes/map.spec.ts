import { describe, expect, it } from '@jest/globals';
import { BOX, mapOf, type MappedMode } from './map.js';

const rule = (on: string, to: string): MappedMode['rules'][number] => ({
  ...{ on, to, priority: 9, when: null, means: on },
});
const mode = (name: string, phase: number | null, ...rules: MappedMode['rules']): MappedMode => ({
  ...{ name, phase, rules },
});

const MODES = [
  mode('idle', 0, rule('code_intent', 'work'), rule('own_intent', 'own')),
  mode('work', 0, rule('done', 'check'), rule('large', 'check'), rule('stuck', 'idle')),
  mode('check', 1, rule('failed', 'work'), rule('gone', 'nowhere')),
  mode('own', null, rule('over', 'idle')),
];

describe('the map of the modes', () => {
  const map = mapOf(MODES);

  it('has a column for each phase, those of the installation last, and no two boxes on one place', () => {
    expect(map.columns.map(({ phase, places }) => [phase, places.map((place) => place.mode.name)])).toEqual([
      [0, ['idle', 'work']],
      [1, ['check']],
      [null, ['own']],
    ]);
    const places = map.columns.flatMap((column) => column.places);
    for (const [at, one] of places.entries())
      for (const other of places.slice(at + 1))
        expect(Math.abs(one.x - other.x) >= BOX.width || Math.abs(one.y - other.y) >= BOX.height).toBe(true);
    for (const { x, y } of places) {
      expect(x + BOX.width).toBeLessThanOrEqual(map.width);
      expect(y + BOX.height).toBeLessThanOrEqual(map.height);
    }
  });

  it('draws one line from a mode to another, however many rules lead there, and none to a mode that is gone', () => {
    expect(
      map.lines.map(({ from, to, rules }) => `${from} ${to} ${rules.map(({ on }) => on).join()}`),
    ).toEqual([
      'idle work code_intent',
      'idle own own_intent',
      'work check done,large',
      'work idle stuck',
      'check work failed',
      'own idle over',
    ]);
  });

  it('lets there and back be two lines, each from the side of one box to the side of the other', () => {
    const path = (from: string, to: string) =>
      map.lines.find((line) => line.from === from && line.to === to)?.path;
    const ends = (text = '') =>
      text.match(/[\d.]+ [\d.]+/g)?.map((point) => point.split(' ').map(Number)) ?? [];
    const place = (name: string) =>
      map.columns.flatMap((column) => column.places).find((each) => each.mode.name === name);
    const [there, back] = [ends(path('work', 'check')), ends(path('check', 'work'))];
    const [work, check] = [place('work')!, place('check')!];
    expect([there[0]?.[0], there[3]?.[0]]).toEqual([work.x + BOX.width, check.x]);
    expect([back[0]?.[0], back[3]?.[0]]).toEqual([check.x, work.x + BOX.width]);
    expect(there[0]).not.toEqual(back[3]);
  });
});
