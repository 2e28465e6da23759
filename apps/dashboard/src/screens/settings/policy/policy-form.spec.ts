import { describe, expect, it } from '@jest/globals';
import { NO_RULES, PolicyLayer } from '@bullpen/contracts';
import { formOf, layerOf, sizeOf } from './policy-form.js';

const LAYER: PolicyLayer = {
  approvals: { alwaysAllowExecute: true, alwaysAllowWrite: false },
  locked: ['alwaysAllowWrite'],
  rules: {
    commands: { allow: ['npm ci', 'npm run lint'], deny: ['git push'], exceptions: ['rm -rf dist'] },
    tools: { allow: ['mcp__files__read'], deny: ['mcp__files__drop'] },
    files: { protect: ['**/*.pem'], exceptions: ['.env.example'] },
    network: { allow: ['registry.npmjs.org'], deny: ['*'] },
  },
};

describe('the form of a layer', () => {
  it('gives back the layer that it was made of, every list of it', () => {
    expect(layerOf(formOf(LAYER))).toEqual(LAYER);
    expect(PolicyLayer.parse(layerOf(formOf(LAYER)))).toEqual(LAYER);
  });

  it('says nothing of a category that the layer leaves to a wider one', () => {
    const form = formOf({ approvals: {}, locked: [], rules: NO_RULES });
    expect(new Set(Object.values(form.says))).toEqual(new Set(['wider']));
    expect(layerOf(form).approvals).toEqual({});
  });

  it('leaves out empty lines, and spaces around entries', () => {
    const form = { ...formOf(LAYER), lists: { 'commands.allow': '  npm ci \n\n\tmake\n' } };
    expect(layerOf(form).rules.commands.allow).toEqual(['npm ci', 'make']);
  });

  it('counts what a layer says', () => {
    expect(sizeOf(LAYER)).toEqual({ categories: 2, locked: 1, entries: 10 });
  });
});
