/** The middle of a task's page: the transcript, or what was chosen in its place. */
import { isTerminal, type InteractionView, type TaskUsageView } from '@bullpen/contracts';
import { lazy, Suspense, useState, type ReactNode, type RefObject } from 'react';
import { useText } from '../../i18n/texts.js';
import { IconButton } from '../../ui/button.js';
import { FailureNote } from '../../ui/failure-text.js';
import { Composer, type Strategy } from './composer.js';
import { Tabs, type Tab } from './tabs.js';
import { useShownTask } from './task-context.js';
import { OpenCards, OpenCardsContext } from './transcript/open-cards.js';
import { Transcript } from './transcript/transcript.js';
import type { Snapshot, TranscriptStore } from './transcript/transcript-store.js';

const ChangesTab = lazy(async () => ({ default: (await import('./details/changes-tab.js')).ChangesTab }));
const CostTab = lazy(async () => ({ default: (await import('./details/cost-tab.js')).CostTab }));
const PathTab = lazy(async () => ({ default: (await import('./details/path-tab.js')).PathTab }));
const ModesTab = lazy(async () => ({ default: (await import('./modes/modes-tab.js')).ModesTab }));
const RawTab = lazy(async () => ({ default: (await import('./details/raw-tab.js')).RawTab }));

interface MiddleColumnProps {
  readonly tab: Tab;
  readonly onTab: (tab: Tab) => void;
  readonly figures: Readonly<Partial<Record<Tab, number | null>>>;
  readonly store: TranscriptStore;
  readonly view: Snapshot;
  readonly asks: readonly InteractionView[];
  readonly usage: TaskUsageView | undefined;
  /** Where the window has no room for columns of their own. */
  readonly tree: ReactNode;
  readonly details: ReactNode;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly strategy: Strategy;
  readonly onStrategy: (strategy: Strategy) => void;
  readonly finds: boolean;
  readonly onFind: (finds: boolean) => void;
}

export function MiddleColumn(props: MiddleColumnProps): ReactNode {
  const { tab, onTab, figures, usage, tree, details, onFind } = props;
  const t = useText();
  return (
    <section className="col here" aria-label={t(`task.tab.${tab}`)}>
      <div className="colhead">
        <Tabs tab={tab} figures={figures} onTab={onTab} />
        <span className="grow" />
        {tab === 'transcript' && (
          <IconButton icon="search" small label={t('find.open')} onClick={() => onFind(true)} />
        )}
      </div>
      {tab === 'transcript' ? (
        <TalkTab {...props} />
      ) : (
        <div className="tab-scroll" tabIndex={0}>
          <Suspense>
            {tab === 'changes' && <ChangesTab />}
            {tab === 'cost' && <CostTab usage={usage} />}
            {tab === 'path' && <PathTab />}
            {tab === 'modes' && <ModesTab />}
            {tab === 'raw' && <RawTab />}
            {tab === 'tree' && tree}
            {tab === 'details' && details}
          </Suspense>
        </div>
      )}
    </section>
  );
}

function TalkTab({
  store,
  view,
  asks,
  field,
  strategy,
  onStrategy,
  finds,
  onFind,
}: MiddleColumnProps): ReactNode {
  const t = useText();
  const { task } = useShownTask();
  const [cards] = useState(() => new OpenCards());
  return (
    <OpenCardsContext value={cards}>
      {view.state === 'failed' && (
        <FailureNote error={view.error} retry={() => void store.open(task.eventSeq)} />
      )}
      <Transcript
        store={store}
        view={view}
        asks={asks}
        isOver={isTerminal(task.state)}
        finds={finds}
        onFound={() => onFind(false)}
      />
      {task.importedFrom === null ? (
        <Composer task={task} field={field} strategy={strategy} onStrategy={onStrategy} />
      ) : (
        <p className="composer-imported dim">{t('composer.imported')}</p>
      )}
    </OpenCardsContext>
  );
}
