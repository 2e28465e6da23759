/** All that a task changed, file by file. */
import type { Diffstat } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactNode } from 'react';
import type { ViewType } from 'react-diff-view';
import { useText } from '../../../i18n/texts.js';
import { ChangeCount } from '../../../ui/change-count.js';
import { FileDiff } from '../../../ui/diff/diff.js';
import { filesOf } from '../../../ui/diff/patch.js';
import { DownloadButton } from '../../../ui/download-button.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Loading } from '../../../ui/loading.js';
import { changesQuery, patchQuery } from '../queries.js';
import { useTaskId } from '../task-context.js';
import { Segments } from './segments.js';

export function ChangesTab(): ReactNode {
  const t = useText();
  const taskId = useTaskId();
  const { data, error } = useQuery(changesQuery(taskId));
  if (error !== null) return <FailureNote error={error} />;
  if (data === undefined) return <Loading rows={3} />;
  if (data.diffstat.files === 0) return <p className="blank mid">{t('changes.none')}</p>;
  return <Patch taskId={taskId} diffstat={data.diffstat} />;
}

const VIEWS = ['unified', 'split'] as const;

function Patch({ taskId, diffstat }: { taskId: string; diffstat: Diffstat }): ReactNode {
  const t = useText();
  const [view, show] = useState<ViewType>('unified');
  const { data: patch, error } = useQuery(patchQuery(taskId));
  const files = useMemo(() => (patch === undefined ? [] : (filesOf(patch) ?? [])), [patch]);
  if (error !== null) return <FailureNote error={error} />;
  if (patch === undefined) return <Loading rows={3} />;
  return (
    <div className="tab-body">
      <div className="row tab-head">
        <span>{t('changes.files', { n: diffstat.files })}</span>
        <ChangeCount insertions={diffstat.insertions} deletions={diffstat.deletions} />
        <span className="grow" />
        <Segments
          label={t('changes.view')}
          options={VIEWS.map((value) => ({ value, text: t(`changes.${value}`) }))}
          value={view}
          onChange={show}
        />
        <DownloadButton text={patch} name={`${taskId}.patch`} />
      </div>
      {files.map((file) => (
        <div className="boxed" key={file.path}>
          <FileDiff file={file} view={view} />
        </div>
      ))}
    </div>
  );
}
