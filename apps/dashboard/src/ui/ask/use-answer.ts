/** Answering what is shown: with its digest, once it was seen, and with a word about what came of it. */
import { ApiError } from '@bullpen/client';
import type { InteractionAnswer, InteractionView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { interactionQuery } from '../../app/queries/interactions.js';
import { Sight } from './consent.js';

interface Answering {
  /** Does nothing while the ask was not seen for long enough, or while an answer is on its way. */
  readonly answer: (answer: InteractionAnswer) => void;
  readonly isSending: boolean;
  /** Why the last answer did not count. */
  readonly refusal: Refusal | null;
}

export type Refusal =
  /** Someone else was first, or it is no longer needed. */
  | { readonly kind: 'closed' }
  /** It asks for something else by now, which is shown. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'failed'; readonly error: Error };

/** `onAnswered` is told when the answer counts. */
export function useAnswer(view: InteractionView, onAnswered?: (view: InteractionView) => void): Answering {
  const queries = useQueryClient();
  const [sight] = useState(() => new Sight());
  const { id, hash } = view;
  useEffect(() => sight.show({ id, hash }, performance.now()), [sight, id, hash]);
  const sending = useMutation({
    mutationFn: (answer: InteractionAnswer) => bullpen.interactions.answer(id, answer, { hash }),
    onSuccess: (answered) => {
      queries.setQueryData(interactionQuery(id).queryKey, answered);
      onAnswered?.(answered);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['interactions'] }),
  });
  return {
    answer: (answer) => {
      if (!sending.isPending && sight.hasSeen({ id, hash }, performance.now())) sending.mutate(answer);
    },
    isSending: sending.isPending,
    refusal: sending.error === null ? null : refusalOf(sending.error),
  };
}

function refusalOf(error: Error): Refusal {
  const code = error instanceof ApiError ? error.code : null;
  if (code === 'interaction_closed') return { kind: 'closed' };
  return code === 'interaction_changed' ? { kind: 'changed' } : { kind: 'failed', error };
}
