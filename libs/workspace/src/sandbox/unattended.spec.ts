/** What would wait for a person fails at once, says why, and changes nothing. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import { bubblewrap } from './bubblewrap.js';
import type { Sandbox } from './sandbox.js';
import { unboxed } from './unboxed.js';

const REPOSITORY =
  'git init -q . && git config user.email a@b.c && git config user.name A && ' +
  'for n in 1 2 3 4; do echo $n > f; git add f; git commit -qm c$n; done; git log --oneline | sha1sum; ';

let bench: BoxBench;
beforeEach(async () => {
  bench = await BoxBench.make();
});
afterEach(() => bench.remove());

const SANDBOXES: readonly [string, (bench: BoxBench) => Sandbox, typeof it][] = [
  ['without a box', () => unboxed(), it],
  ['in a box', ({ stateFolder }) => bubblewrap({ stateFolder }), itInBox as typeof it],
];

describe.each(SANDBOXES)('nobody sits there %s', (_, sandboxOf, itHere) => {
  /** Runs it for a few seconds at most. */
  const run = (command: string) => bench.run(sandboxOf(bench), command, { timeoutMs: 15_000 });

  itHere(
    'so a rebase that opens an editor rewrites nothing, and a commit without a message is none',
    async () => {
      const { output, timedOut } = await run(
        `${REPOSITORY} git rebase -i HEAD~3; echo "rebase $?"; echo 5 > f; git commit -a; echo "commit $?"; git log --oneline | sha1sum`,
      );
      expect(timedOut).toBe(false);
      expect(output).toMatch(/problem with (the )?editor 'false'/);
      expect(output).toMatch(/rebase 1\n/);
      expect(output).toMatch(/commit 1\n/);
      const sums = output.match(/^[0-9a-f]{40}/gm);
      expect(sums?.[0]).toBe(sums?.at(-1));
    },
  );

  itHere('so there is no terminal to be had, and a pager prints everything', async () => {
    const { output, timedOut } = await run(
      `tty; stty -a; (echo x > /dev/tty); bash -ic 'echo still here'; seq 3 | \${PAGER}; ${REPOSITORY} git log --oneline | cat | wc -l`,
    );
    expect(timedOut).toBe(false);
    expect(output).toContain('not a tty');
    expect(output).toContain('Inappropriate ioctl');
    expect(output).toContain('/dev/tty');
    expect(output).toContain('still here');
    expect(output).toContain('1\n2\n3\n');
    expect(output.trim().endsWith('4')).toBe(true);
  });

  itHere('so nobody is asked for a password or for a yes', async () => {
    const { output, timedOut, durationMs } = await run(
      `git -c credential.helper= credential fill <<< $'protocol=https\\nhost=x.test\\n'; echo "git $?"; read -p 'Sure? ' answer; echo "read $?"`,
    );
    expect(timedOut).toBe(false);
    expect(durationMs).toBeLessThan(10_000);
    expect(output).toContain('terminal prompts disabled');
    expect(output).toMatch(/git 128\n/);
    expect(output).toMatch(/read 1\n/);
  });
});
