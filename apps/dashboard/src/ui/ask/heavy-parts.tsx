/** Parts of an ask that are loaded only with the first ask that has them. */
import type { ReactNode } from 'react';

/** A change, file by file. */
export function AskedPatch({ patch }: { patch: string }): ReactNode {
  return <pre className="cmd">{patch}</pre>;
}

/** A plan, as its agent wrote it. */
export function AskedPlan({ text }: { text: string }): ReactNode {
  return <p className="say whitespace-pre-wrap">{text}</p>;
}
