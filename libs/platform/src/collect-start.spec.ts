import { expect, it } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import { collectStart } from './collect-start.js';

it('frees what is of no use any more, without being asked again', async () => {
  const gone = new WeakRef({ of: 'the start' });
  // A reference lives until the end of the turn that looked at it.
  collectStart(1);
  await waitFor(() => gone.deref() === undefined, { what: 'the collection' });
  expect(gone.deref()).toBeUndefined();
});
