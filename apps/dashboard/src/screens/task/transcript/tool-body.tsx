/** What is in an opened tool card: the change, the arguments, what was printed or given back. */
import type { ToolRow } from '@bullpen/client';
import type { Json } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { FileDiff } from '../../../ui/diff/diff.js';
import { DownloadButton } from '../../../ui/download-button.js';
import { MediaList } from '../../../ui/media-list.js';
import { Output } from '../../../ui/output/output.js';
import { editOf } from './edits.js';
import { useTaskId } from '../task-context.js';
import { outputQuery } from '../queries.js';

/** Arguments up to here are shown as they are; longer ones have their own fold. */
const SHORT_ARGUMENT = 120;

export function ToolBody({ row, at }: { row: ToolRow; at?: number | undefined }): ReactNode {
  const edit = editOf(row);
  if (row.state === 'generating') return <Output text={row.draft} />;
  return (
    <div className="tool-body">
      {edit === null ? (
        <Arguments args={row.arguments} tool={row.tool} />
      ) : (
        <FileDiff file={edit} head={false} />
      )}
      {(edit === null || row.state === 'errored') && <Result row={row} at={at} />}
    </div>
  );
}

function Arguments({ args, tool }: { args: Json | null; tool: string }): ReactNode {
  const t = useText();
  if (args === null || isPlain(args)) return null;
  const command = tool === 'run_command' ? (args as { command?: Json }).command : undefined;
  if (typeof command === 'string' && command.includes('\n')) return <Output text={command} />;
  if (typeof command === 'string') return null;
  const text = JSON.stringify(args, null, 2);
  return (
    <section aria-label={t('tool.arguments')}>
      <Output text={text} />
      <Foot text={text} name={`${tool}-arguments.json`} label={t('tool.arguments')} />
    </section>
  );
}

/** A short argument or none says nothing that the head of the card does not. */
function isPlain(args: Json): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  const values = Object.values(args);
  return (
    values.length <= 1 && values.every((value) => typeof value === 'string' && value.length <= SHORT_ARGUMENT)
  );
}

function Result({ row, at }: { row: ToolRow; at?: number | undefined }): ReactNode {
  const t = useText();
  const taskId = useTaskId();
  const isOver = row.preview !== null;
  const { data } = useQuery({
    ...outputQuery(taskId, row.callId ?? ''),
    enabled: isOver && row.callId !== null,
  });
  // Between the end of the call and its stored output, what was seen last stays.
  const last = useRef('');
  const text = data?.output ?? (row.output === '' ? last.current || (row.preview ?? '') : row.output);
  last.current = text;
  if (text === '') return isOver ? <p className="tool-empty">{t('tool.nothing')}</p> : null;
  return (
    <section aria-label={t('tool.output')}>
      <MediaList media={row.media} />
      <Output text={text} at={at} isProse={row.tool !== 'run_command' && row.state === 'errored'} />
      {isOver && (
        <Foot text={text} name={`${row.tool}-output.txt`} label={t('tool.size', { n: text.length })} />
      )}
    </section>
  );
}

function Foot({ text, name, label }: { text: string; name: string; label: string }): ReactNode {
  return (
    <div className="out-foot">
      <span className="grow">{label}</span>
      <CopyButton text={text} />
      <DownloadButton text={text} name={name} />
    </div>
  );
}
