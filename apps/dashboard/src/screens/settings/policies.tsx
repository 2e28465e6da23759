/** The layers of the approval policy, and what they say of a command. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { policiesQuery } from '../../app/queries/installation.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { CommandParts } from '../../ui/command-parts.js';
import { FailureNote } from '../../ui/failure-text.js';
import { TextField } from '../../ui/fields.js';
import { Age } from '../../ui/time.js';
import { Section } from './section.js';

export function Policies(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(policiesQuery);
  return (
    <>
      <Section
        title={t('policies.title')}
        note={t('policies.note')}
        rows={data}
        error={error}
        none={t('policies.none')}
      >
        {(layers) => (
          <ul className="mini pad">
            {layers.map(({ scope, key, layer, updatedAt, updatedBy }) => (
              <li key={`${scope} ${key}`}>
                <details>
                  <summary>
                    <span className="strong">{t(`policies.${scope}`)}</span> <code>{key}</code>
                  </summary>
                  <pre className="cmd">{JSON.stringify(layer, null, 2)}</pre>
                </details>
                <span className="dim">{updatedBy}</span>
                <span className="dim num">
                  <Age at={updatedAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <TryCommand />
    </>
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
