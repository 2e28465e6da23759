/** A block of code as it was written. */
import { memo, type ReactNode } from 'react';
import { CopyButton } from '../copy-button.js';

export const CodeBlock = memo(function CodeBlock(props: { text: string; language?: string }): ReactNode {
  const { text, language = '' } = props;
  return (
    <div className="md-code">
      <div className="md-code-head">
        {language !== '' && <span className="dim">{language}</span>}
        <CopyButton text={text} />
      </div>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
});
