import { Fragment } from 'react';
import { cx } from '../../ui/browser/cx.ts';

/** A sentence of the document; text between backticks is code. */
export const CodeText = ({ text }: { text: string }) =>
  text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 1 ? (
      <code key={index} className={cx('font-mono text-[0.95em]', part.length < 24 && 'whitespace-nowrap')}>
        {part}
      </code>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );

/** A path that breaks after its slashes, with highlighted parameters. */
export const PathText = ({ path }: { path: string }) =>
  path.split(/(?<=\/)|(?=\{)|(?<=\})/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part.startsWith('{') ? <span className="text-accent">{part}</span> : part}
    </Fragment>
  ));
