import { describe, expect, it } from '@jest/globals';
import { sendsAfterComposition } from './composition.js';

describe('the Enter that ends a composition', () => {
  it('sends after a Hangul syllable, whole or in the making', () => {
    expect(['배포해줘', '줘', 'ㅋ'].map(sendsAfterComposition)).toEqual([true, true, true]);
  });

  it('only takes the candidate of other methods', () => {
    expect(['日本語', 'にほん', '部署', ''].map(sendsAfterComposition)).toEqual([false, false, false, false]);
  });
});
