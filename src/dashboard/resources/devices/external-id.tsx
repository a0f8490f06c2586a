import { cx } from '../../ui/browser/cx.ts';

/** An ID of at most this length has room in most lists. */
const UNCUT = 12;
const END = 8;

type Props = {
  id: string;
  /** In a row of a table: the text is above the link of the row, so that it can be selected. */
  inRow?: boolean;
};

/** An external ID in one line. IDs often begin alike, so a long one is cut in its middle; the hint has all of it. */
export const ExternalId = ({ id, inRow = false }: Props) => {
  // Its memoised form is larger, and a row renders only when it changes.
  'use no memo';
  return (
    <span
      data-hint-if-cut
      data-row-text={inRow || undefined}
      className={cx(
        'block max-w-full min-w-0 truncate font-mono text-sm text-muted',
        inRow && 'md:pointer-fine:z-1',
      )}
    >
      {id.length > UNCUT && (
        // Inline, so that both parts are copied as one word.
        <span className="inline-block max-w-[calc(100%-8ch)] truncate align-bottom">{id.slice(0, -END)}</span>
      )}
      {id.length > UNCUT ? id.slice(-END) : id}
    </span>
  );
};

/** Beside the name of a device, unless it repeats the name. */
export const ExternalIdBesideName = ({ name, externalId }: { name: string; externalId: string }) =>
  name === externalId ? null : <ExternalId id={externalId} />;
