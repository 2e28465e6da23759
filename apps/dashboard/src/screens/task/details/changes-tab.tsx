/** All that a task changed, file by file; or what changed between two of its checkpoints. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { ChipSelect } from '../../../ui/chip-select.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Loading } from '../../../ui/loading.js';
import { checkpointName } from '../checkpoint-name.js';
import { changesQuery, checkpointsQuery, patchQuery, type Range } from '../queries.js';
import { useTaskId } from '../task-context.js';
import { ChangedFiles } from './changed-files.js';

export function ChangesTab(): ReactNode {
  const t = useText();
  const taskId = useTaskId();
  const [range, choose] = useRange();
  const { data, error } = useQuery(changesQuery(taskId, range));
  const { data: patch, error: unread } = useQuery({
    ...patchQuery(taskId, range),
    enabled: data !== undefined && data.diffstat.files > 0,
  });
  const failure = error ?? unread;
  return (
    <div className="tab-body">
      <RangeChoice range={range} onChange={choose} />
      {failure !== null && <FailureNote error={failure} />}
      {failure === null && data?.diffstat.files === 0 && <p className="blank mid">{t('changes.none')}</p>}
      {failure === null && (data === undefined || (patch === undefined && data.diffstat.files > 0)) && (
        <Loading rows={3} />
      )}
      {failure === null && patch !== undefined && data !== undefined && data.diffstat.files > 0 && (
        <ChangedFiles key={`${range.from} ${range.to}`} patch={patch} />
      )}
    </div>
  );
}

/** From which checkpoint to which; nothing to choose where there are less than two. */
function RangeChoice({ range, onChange }: { range: Range; onChange: (range: Range) => void }): ReactNode {
  const t = useText();
  const { data } = useQuery(checkpointsQuery(useTaskId()));
  const checkpoints = data?.data ?? [];
  if (checkpoints.length < 2) return null;
  const options = checkpoints.map((checkpoint) => ({
    value: checkpoint.id,
    label: checkpointName(checkpoint, t),
  }));
  const first = checkpoints.at(-1)?.id;
  return (
    <div className="row tab-head">
      <span className="dim">{t('changes.compare')}</span>
      <ChipSelect
        label={t('changes.from')}
        value={range.from}
        options={options}
        onChange={(from) => onChange(from === undefined ? {} : { ...range, from })}
      />
      <span aria-hidden="true">→</span>
      <ChipSelect
        label={t('changes.to')}
        value={range.to}
        options={options}
        onChange={(to) => onChange({ from: range.from ?? first, ...(to !== undefined && { to }) })}
      />
    </div>
  );
}

/** In the address, so that it can be shared. */
function useRange(): readonly [Range, (range: Range) => void] {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const { from, to } = search;
  const range: Range = {
    ...(typeof from === 'string' && { from }),
    ...(typeof from === 'string' && typeof to === 'string' && { to }),
  };
  const choose = (next: Range): void =>
    void navigate({ to: '.', replace: true, search: { tab: 'changes', ...next } as never });
  return [range, choose];
}
