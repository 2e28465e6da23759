/** Parts of an ask that are loaded only with the first ask that has them; until then the text stands in for them. */
import { lazy, Suspense, type ReactNode } from 'react';

const PatchView = lazy(async () => ({ default: (await import('../diff/diff.js')).PatchView }));
const Markdown = lazy(async () => ({ default: (await import('../markdown/markdown.js')).Markdown }));

/** A change, file by file. */
export function AskedPatch({ patch }: { patch: string }): ReactNode {
  return (
    <Suspense fallback={<pre className="cmd">{patch}</pre>}>
      <PatchView patch={patch} />
    </Suspense>
  );
}

/** A plan, as its agent wrote it. */
export function AskedPlan({ text }: { text: string }): ReactNode {
  return (
    <Suspense fallback={<p className="say whitespace-pre-wrap">{text}</p>}>
      <Markdown text={text} />
    </Suspense>
  );
}
