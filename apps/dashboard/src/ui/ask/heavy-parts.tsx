/** Parts of an ask that are loaded only with the first ask that has them. */
import { lazy, Suspense, type ReactNode } from 'react';

const PatchView = lazy(async () => ({ default: (await import('../diff/diff.js')).PatchView }));
const Markdown = lazy(async () => ({ default: (await import('../markdown/markdown.js')).Markdown }));

/** A change, file by file. */
export function AskedPatch({ patch }: { patch: string }): ReactNode {
  return (
    <div className="boxed">
      <Suspense fallback={<pre className="cmd">{patch}</pre>}>
        <PatchView patch={patch} />
      </Suspense>
    </div>
  );
}

/** A plan, as its agent wrote it. */
export function AskedPlan({ text }: { text: string }): ReactNode {
  return (
    <div className="say">
      <Suspense fallback={<p className="whitespace-pre-wrap">{text}</p>}>
        <Markdown text={text} />
      </Suspense>
    </div>
  );
}
