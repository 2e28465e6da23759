/** What the tasks of a tree are doing, from the live stream, once a second. */
import { tellingArgument, TreeModel, type Activity, type StreamItem } from '@bullpen/client';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useLiveItems } from '../../../app/live/live-context.js';
import type { Translate } from '../../../i18n/texts.js';

const EVERY_MS = 1_000;

export type Activities = ReadonlyMap<string, Activity>;

export function useActivities(rootId: string): Activities {
  const [activities, show] = useState<Activities>(new Map());
  const model = useRef(new TreeModel(rootId));
  const changed = useRef(false);
  const hear = useCallback((item: StreamItem) => {
    if (model.current.apply(item)) changed.current = true;
  }, []);
  useLiveItems(hear);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!changed.current) return;
      changed.current = false;
      show(new Map(model.current.nodes().map(({ id, activity }) => [id, activity])));
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return activities;
}

/** In a few words; null: nothing that is worth a line. */
export function activityText(activity: Activity | undefined, t: Translate): string | null {
  switch (activity?.kind) {
    case 'said':
      return activity.whole ? null : t('doing.writes');
    case 'calling':
      return t('doing.calls', { tool: activity.tool });
    case 'runs':
      return `${activity.tool} ${tellingArgument(activity.arguments)}`;
    case 'retrying':
      return t('doing.retries', { why: activity.errorClass });
    default:
      return null;
  }
}
