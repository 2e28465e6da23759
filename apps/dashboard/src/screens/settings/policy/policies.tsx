/** The layers of the approval policy, and what they say of a command. */
import type { PolicyView } from '@bullpen/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { policiesQuery } from '../../../app/queries/installation.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { CommandParts } from '../../../ui/command-parts.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { TextField } from '../../../ui/fields.js';
import { Age } from '../../../ui/time.js';
import { Section } from '../section.js';
import { PolicyDialog } from './policy-dialog.js';
import { sizeOf } from './policy-form.js';
import { RemovePolicy } from './remove-policy.js';

type Opened = { readonly dialog: 'edit' | 'remove'; readonly policy: PolicyView } | 'new' | null;

export function Policies(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(policiesQuery);
  const [opened, open] = useState<Opened>(null);
  const close = (): void => open(null);
  return (
    <>
      <Section
        title={t('policies.title')}
        note={t('policies.note')}
        actions={
          <Button small onClick={() => open('new')}>
            {t('policies.newDo')}
          </Button>
        }
        rows={data}
        error={error}
        none={t('policies.none')}
      >
        {(layers) => (
          <ul className="mini pad">
            {layers.map((policy) => (
              <PolicyRow
                key={`${policy.scope} ${policy.key}`}
                policy={policy}
                onOpen={(dialog) => open({ dialog, policy })}
              />
            ))}
          </ul>
        )}
      </Section>
      <TryCommand />
      {opened === 'new' && <PolicyDialog policy={null} onClose={close} />}
      {opened !== null && opened !== 'new' && opened.dialog === 'edit' && (
        <PolicyDialog policy={opened.policy} onClose={close} />
      )}
      {opened !== null && opened !== 'new' && opened.dialog === 'remove' && (
        <RemovePolicy policy={opened.policy} onClose={close} />
      )}
    </>
  );
}

function PolicyRow(props: { policy: PolicyView; onOpen: (dialog: 'edit' | 'remove') => void }): ReactNode {
  const { policy, onOpen } = props;
  const t = useText();
  const { scope, key, layer, updatedAt, updatedBy } = policy;
  const { categories, locked, entries } = sizeOf(layer);
  return (
    <li>
      <span className="trunc">
        <span className="strong">{t(`policies.${scope}`)}</span> <code>{key}</code>
        <span className="sub">
          {t('policies.size', { categories, locked, entries })} · {updatedBy}, <Age at={updatedAt} />
        </span>
      </span>
      <Button small onClick={() => onOpen('edit')}>
        {t('policies.editDo')}
      </Button>
      <Button small kind="danger" onClick={() => onOpen('remove')}>
        {t('policies.remove')}
      </Button>
    </li>
  );
}

function TryCommand(): ReactNode {
  const t = useText();
  const [command, setCommand] = useState('');
  const trying = useMutation({ mutationFn: () => bullpen.policies.test({ commands: command }) });
  const run = (): void => {
    if (command.trim() !== '') trying.mutate();
  };
  const verdict = trying.data?.[0];
  return (
    <section className="boxed" aria-label={t('policies.try')}>
      <div className="pad try-command">
        <TextField
          label={t('policies.try')}
          hint={t('policies.tryHow')}
          placeholder="git push origin main"
          value={command}
          onChange={setCommand}
          onSubmit={run}
        />
        <Button disabled={command.trim() === '' || trying.isPending} onClick={run}>
          {t('policies.tryDo')}
        </Button>
        {trying.error !== null && <FailureNote error={trying.error} />}
        {verdict !== undefined && (
          <div role="status">
            <p className="mid">{verdict.message}</p>
            <CommandParts parts={verdict.parts} />
          </div>
        )}
      </div>
    </section>
  );
}
