import { describe, expect, it } from '@jest/globals';
import { keyOf, type KeyPress } from './key-of.js';

const press = (given: Partial<KeyPress>): KeyPress => ({
  key: 'j',
  code: 'KeyJ',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  isComposing: false,
  ...given,
});

describe('a shortcut', () => {
  it('is found by its place on the keyboard when Hangul is switched on', () => {
    expect(keyOf(press({ key: 'ㅓ', code: 'KeyJ' }))).toBe('j');
    expect(keyOf(press({ key: 'Process', code: 'KeyK' }))).toBe('k');
  });

  it('is the letter itself on a keyboard that has its letters elsewhere', () => {
    expect(keyOf(press({ key: 'a', code: 'KeyQ' }))).toBe('a');
  });

  it('keeps the names of other keys, and says what is held down', () => {
    expect(keyOf(press({ key: 'Escape', code: 'Escape' }))).toBe('Escape');
    expect(keyOf(press({ key: '?', code: 'Slash', shiftKey: true }))).toBe('?');
    expect(keyOf(press({ key: 'Enter', code: 'Enter', metaKey: true }))).toBe('mod+Enter');
  });

  it('is none while a syllable is being composed, nor with Alt', () => {
    expect(keyOf(press({ isComposing: true }))).toBeNull();
    expect(keyOf(press({ altKey: true }))).toBeNull();
  });
});
