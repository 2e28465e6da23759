/** One task: its head, its tree over time, its transcript with what one tells it, and the details beside. */
import type { TaskView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useRef, useState, type ReactNode } from 'react';
import { taskQuery } from '../../app/queries/tasks.js';
import { useText } from '../../i18n/texts.js';
import { Unread } from '../../ui/unread.js';
import { DetailsPanel } from './details/details-panel.js';
import { TaskHeader } from './header/task-header.js';
import {
  asksOfTreeQuery,
  changesQuery,
  timelineQuery,
  treeQuery,
  usageQuery,
  useTreeRefresh,
} from './queries.js';
import type { Strategy } from './composer.js';
import { MiddleColumn } from './middle-column.js';
import { ShownTaskContext, type ShownTask } from './task-context.js';
import { tabsOf, type Tab } from './tabs.js';
import { useTaskKeys } from './use-task-keys.js';
import { useTranscript } from './transcript/use-transcript.js';
import { TreePanel } from './tree/tree-panel.js';
import { WideTimeline } from './tree/wide-timeline.js';
import './task.css';

export function TaskScreen(): ReactNode {
  const { taskId } = useParams({ from: '/tasks/$taskId' });
  const reading = useQuery(taskQuery(taskId));
  const { data: task } = reading;
  return task === undefined ? <Unread query={reading} rows={6} /> : <OpenTask key={task.id} task={task} />;
}

function OpenTask({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  useTreeRefresh(task);
  const shown = useShown(task);
  const { data: usage } = useQuery(usageQuery(task.id));
  const { data: asks } = useQuery(asksOfTreeQuery(task.rootId));
  const { data: timeline } = useQuery(timelineQuery(task.rootId));
  const { data: changes } = useQuery(changesQuery(task.id));
  const { store, view } = useTranscript(task.id, task.eventSeq);
  const { tab, isWide, show } = useWhatIsShown(task);
  const [strategy, setStrategy] = useState<Strategy>('queue');
  const [finds, setFinds] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (how: Strategy): void => {
    show({ tab: 'transcript' });
    setStrategy(how);
    field.current?.focus();
  };
  const pending = asks?.data ?? [];
  const nextAsk = (): void => {
    show({ tab: 'transcript' });
    document.querySelector('[data-ask]')?.scrollIntoView({ block: 'center' });
  };
  useTaskKeys(shown, {
    write,
    nextAsk,
    show: (next) => show({ tab: next }),
    find: () => {
      show({ tab: 'transcript' });
      setFinds(true);
    },
  });
  const tree = <TreePanel timeline={timeline} onWide={() => show({ wide: true })} />;
  const details = <DetailsPanel todos={view.todos} usage={usage} onTab={(next) => show({ tab: next })} />;
  return (
    <ShownTaskContext value={shown}>
      <TaskHeader
        usage={usage}
        asks={pending}
        context={store.model.newestContext ?? task.context}
        onInterrupt={() => write('interrupt')}
        onNextAsk={nextAsk}
      />
      {isWide ? (
        <WideTimeline timeline={timeline} onClose={() => show({ wide: false })} />
      ) : (
        <div className="three">
          <section className="col" aria-label={t('tree.title')}>
            {tree}
          </section>
          <MiddleColumn
            tab={tab}
            onTab={(next) => show({ tab: next })}
            figures={{ changes: changes?.diffstat.files ?? null, tree: shown.tree.size }}
            store={store}
            view={view}
            asks={pending}
            tree={tree}
            details={details}
            usage={usage}
            field={field}
            strategy={strategy}
            finds={finds}
            onFind={setFinds}
            onStrategy={setStrategy}
          />
          <aside className="col side-col" aria-label={t('details.title')}>
            {details}
          </aside>
        </div>
      )}
    </ShownTaskContext>
  );
}

function useShown(task: TaskView): ShownTask {
  const { data } = useQuery(treeQuery(task.rootId));
  return useMemo(() => ({ task, tree: new Map(data?.tasks.map((each) => [each.id, each])) }), [task, data]);
}

/** In the address, so that it can be shared. */
function useWhatIsShown(task: TaskView) {
  const search: { readonly tab?: unknown; readonly wide?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const tab = tabsOf(task).find((each) => each === search.tab) ?? 'transcript';
  const show = (next: { readonly tab?: Tab; readonly wide?: boolean }): void => {
    const chosen = next.tab ?? tab;
    void navigate({
      to: '.',
      replace: true,
      search: {
        ...(chosen !== 'transcript' && { tab: chosen }),
        ...(next.wide === true && { wide: true }),
      } as never,
    });
  };
  return { tab, isWide: search.wide === true, show };
}
