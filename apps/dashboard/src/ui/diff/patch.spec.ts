/** Patches as data. */
import { describe, expect, it } from '@jest/globals';
import { editPatch, filesOf } from './patch.js';

const shown = (patch: string) =>
  filesOf(patch)?.map(({ hunks, ...file }) => ({
    ...file,
    hunks: hunks.map(({ changes }) => changes.map(({ type, content }) => `${type[0]} ${content}`)),
  }));

describe('a patch', () => {
  it('is read file by file: changed, new, gone, renamed', () => {
    const patch = [
      'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n',
      'diff --git a/new.ts b/new.ts\nnew file mode 100644\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+<b>\n',
      'diff --git a/gone.ts b/gone.ts\ndeleted file mode 100644\n--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n--- x\n',
      'diff --git a/old.ts b/fresh.ts\nsimilarity index 100%\nrename from old.ts\nrename to fresh.ts\n',
    ].join('');
    expect(
      filesOf(patch)?.map(({ path, from, type, insertions, deletions }) => [
        path,
        from,
        type,
        insertions,
        deletions,
      ]),
    ).toEqual([
      ['a.ts', null, 'modify', 1, 1],
      ['new.ts', null, 'add', 1, 0],
      ['gone.ts', null, 'delete', 0, 1],
      ['fresh.ts', 'old.ts', 'rename', 0, 0],
    ]);
  });

  it('may be of one file, and is nothing when the text is none', () => {
    expect(shown('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n')).toMatchObject([
      { path: 'x', hunks: [['d a', 'i b']] },
    ]);
    expect(filesOf('no patch at all')?.[0]?.lines ?? 0).toBe(0);
  });

  it('of an edit keeps what is the same on both sides', () => {
    expect(shown(editPatch('x.ts', 'a\nb\nc\n', 'a\nB\nc\n', 7))).toMatchObject([
      { path: 'x.ts', type: 'modify', hunks: [['n a', 'd b', 'i B', 'n c']] },
    ]);
    expect(shown(editPatch('x.ts', '', 'a\n'))).toMatchObject([{ type: 'add', hunks: [['i a']] }]);
    expect(shown(editPatch('x.ts', 'a\na', 'a'))).toMatchObject([{ deletions: 1, insertions: 0 }]);
  });
});
