/**
 * Text of a model. It becomes elements, never HTML: markup in it is shown as it is written, pictures are links that name their host, links
 * lead only to the web. While it streams only its last block is drawn again.
 */
import { memo, useRef, type ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { Linked } from '../linked.js';
import { SafeLink } from '../safe-link.js';
import { blocksOf, isTooHeavy, type Block, type Blocks } from './blocks.js';
import { CodeBlock } from './code-block.js';
import './markdown.css';

export const Markdown = memo(function Markdown(props: { text: string; streams?: boolean }): ReactNode {
  const { text, streams = false } = props;
  // Only saves work: the blocks of a text are the same however they are reached.
  const before = useRef<Blocks | undefined>(undefined);
  const blocks = blocksOf(text, before.current);
  before.current = blocks;
  return (
    <div
      className="md"
      data-streams={streams || undefined}
      data-long={blocks.settled.length > MANY_BLOCKS || undefined}
      aria-busy={streams || undefined}
    >
      {blocks.settled.map((block) => (
        <BlockView key={block.start} {...block} />
      ))}
      {blocks.last !== null && <BlockView key={blocks.last.start} {...blocks.last} />}
    </div>
  );
});

/** From here on, blocks that are out of sight are not painted. */
const MANY_BLOCKS = 60;

const PLUGINS = [remarkGfm];

const BlockView = memo(function BlockView({ kind, text, language }: Block): ReactNode {
  if (kind === 'code') return <CodeBlock text={text} language={language} />;
  if (isTooHeavy(text))
    return (
      <p className="md-plain">
        <Linked text={text} />
      </p>
    );
  return (
    <div className="md-block">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={(url) => url}>
        {text}
      </ReactMarkdown>
    </div>
  );
});

/** The page has its own titles: those of a text rank below them. */
const COMPONENTS: Components = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  a: ({ href, children }) => <SafeLink address={href ?? ''}>{children}</SafeLink>,
  // Loading it would tell its host what the model put into the address.
  img: ({ src, alt }) => <SafeLink address={typeof src === 'string' ? src : ''}>{alt || 'picture'}</SafeLink>,
  pre: ({ children }) => <pre className="md-pre">{children}</pre>,
  table: ({ children }) => (
    <div className="md-table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
};
