/** May this call run? */
import type { ApprovalPayload, Json, PolicyScope } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { CommandParts } from '../command-parts.js';
import type { AskProps } from './ask-props.js';
import { AskFrame } from './ask-frame.js';
import { commandOf, fieldsOf, pathOf } from './asked.js';
import { DenyDialog, EditDialog, RememberDialog } from './approval-dialogs.js';
import { AskedPatch } from './heavy-parts.js';
import { LastWords } from './last-words.js';
import { useAnswer } from './use-answer.js';

type Opened = 'deny' | 'edit' | 'remember' | null;

export function ApprovalAsk(props: AskProps & { asked: ApprovalPayload }): ReactNode {
  const { view, layout, hasKeys, onAnswered, asked } = props;
  const t = useText();
  const [opened, open] = useState<Opened>(null);
  const { answer, isSending, refusal } = useAnswer(view, onAnswered);
  const close = (): void => open(null);
  const allow = (more: { remember?: PolicyScope; arguments?: Json } = {}): void => {
    close();
    answer({ decision: 'approve', ...more });
  };
  const canRemember = asked.remember !== undefined;
  useShortcuts(
    hasKeys
      ? {
          'mod+Enter': () => allow(),
          d: () => open('deny'),
          e: () => open('edit'),
          ...(canRemember && { t: () => open('remember') }),
        }
      : {},
  );
  const actions = (
    <>
      <Button kind="primary" className="first" shortcut="Ctrl ↵" disabled={isSending} onClick={() => allow()}>
        {t('ask.allowOnce')}
      </Button>
      {canRemember && (
        <Button shortcut="T" onClick={() => open('remember')}>
          {t('ask.remember')}
        </Button>
      )}
      <Button shortcut="E" onClick={() => open('edit')}>
        {t('ask.edit')}
      </Button>
      <Button kind="danger" shortcut="D" onClick={() => open('deny')}>
        {t('ask.deny')}
      </Button>
    </>
  );
  return (
    <AskFrame
      view={view}
      layout={layout}
      title={<ApprovalTitle asked={asked} />}
      refusal={refusal}
      actions={actions}
    >
      <Approval asked={asked} />
      {layout === 'page' && <LastWords taskId={view.taskId} />}
      {opened === 'deny' && (
        <DenyDialog
          onClose={close}
          onDeny={(remarks) => {
            close();
            answer({ decision: 'deny', ...(remarks !== '' && { remarks }) });
          }}
        />
      )}
      {opened === 'edit' && (
        <EditDialog asked={asked} onClose={close} onAllow={(args) => allow({ arguments: args })} />
      )}
      {opened === 'remember' && asked.remember !== undefined && (
        <RememberDialog
          sentence={asked.remember.sentence}
          onClose={close}
          onAllow={(remember) => allow({ remember })}
        />
      )}
    </AskFrame>
  );
}

function ApprovalTitle({ asked }: { asked: ApprovalPayload }): ReactNode {
  const t = useText();
  const path = pathOf(asked);
  if (commandOf(asked) === null && path !== null)
    return (
      <>
        {t('ask.changeFile')} <code>{path}</code>?
      </>
    );
  return (
    <>
      {t(commandOf(asked) === null ? 'ask.runTool' : 'ask.runCommand')} <code>{asked.tool}</code>?
    </>
  );
}

/** Exactly what would run, and why it is asked. */
function Approval({ asked }: { asked: ApprovalPayload }): ReactNode {
  const t = useText();
  const command = commandOf(asked);
  return (
    <>
      {command !== null && <div className="cmd">{command}</div>}
      {asked.parts !== undefined && asked.parts.length > 0 && <CommandParts parts={asked.parts} />}
      <p className="mid">
        {asked.reason}
        {asked.part !== undefined && asked.part !== command && (
          <>
            {' '}
            {t('ask.becauseOf')} <code>{asked.part}</code>
          </>
        )}
      </p>
      <Touched paths={asked.paths ?? []} />
      {asked.diff !== undefined && <AskedPatch patch={asked.diff} />}
      <OtherArguments asked={asked} shown={command === null && asked.diff === undefined} />
    </>
  );
}

function Touched({ paths }: { paths: NonNullable<ApprovalPayload['paths']> }): ReactNode {
  const t = useText();
  if (paths.length === 0) return null;
  return (
    <dl className="kv">
      {paths.map(({ path, access, place }) => (
        <Field key={`${access} ${path}`} name={t(`ask.${access}`)}>
          <code>{path}</code>
          {place !== 'inside' && <span className="warnv"> {t(`ask.place.${place}`)}</span>}
        </Field>
      ))}
    </dl>
  );
}

/** What is neither the command nor in the diff. */
function OtherArguments({ asked, shown }: { asked: ApprovalPayload; shown: boolean }): ReactNode {
  const fields = Object.entries(fieldsOf(asked.arguments) ?? {}).filter(
    ([name]) => shown || (asked.diff === undefined && name !== 'command'),
  );
  if (fields.length === 0) return null;
  return (
    <dl className="kv">
      {fields.map(([name, value]) => (
        <Field key={name} name={name}>
          <code className="whitespace-pre-wrap">
            {typeof value === 'string' ? value : JSON.stringify(value)}
          </code>
        </Field>
      ))}
    </dl>
  );
}

function Field({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
