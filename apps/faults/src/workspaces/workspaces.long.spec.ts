/** A few trees; `npm run test:workspaces` makes many more. */
import { expect, it } from '@jest/globals';
import { REPOSITORIES, KINDS } from './kinds.js';
import { testWorkspaces } from './suite.js';

it('no file is lost, no branch moved and nothing run, whatever lies in a workspace', async () => {
  const options = { seed: 20_261_129, rounds: 5, files: 300 };
  const report = await testWorkspaces(options, () => undefined, new AbortController().signal);
  expect(report).toMatchObject({ problems: [], lostFiles: 0, movedBranches: 0, ran: 0 });
  const { moves, restores, forks, merges, conflicts } = report;
  expect({ moves, restores, forks, merges, conflicts }).toEqual({
    ...{ moves: 15, restores: 10 },
    ...{ forks: 5, merges: 5, conflicts: 1 },
  });
  expect(Object.keys(report.kinds).sort()).toEqual(
    [...REPOSITORIES, ...KINDS].map(({ name }) => name).sort(),
  );
});
