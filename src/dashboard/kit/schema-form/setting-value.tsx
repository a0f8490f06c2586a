import { Fragment } from 'react';
import { ScrollRegion } from '../../ui/layout/scroll-region.tsx';
import { choiceLabel, isRecord, secretInWords, valueText, type SchemaField } from './schema-field.ts';
import { formatBoolean } from '../../ui/format/format-boolean.ts';

type Props = { field: SchemaField; value: unknown };

/** A value of a field as the form shows it, with the default where none is set. */
export const SettingValue = ({ field, value }: Props) => {
  if (value !== undefined) return <SetValue field={field} value={value} />;
  const fallback = field.default ?? (field.kind === 'flag' ? false : undefined);
  if (fallback === undefined || field.kind === 'rows') return <span className="text-faint">–</span>;
  return (
    <>
      <SetValue field={field} value={fallback} />
      <span className="ml-2 text-sm text-muted">default</span>
    </>
  );
};

/** Fits into the narrowest column without scrolling. */
const isShort = (text: string): boolean => text.length <= 200 && text.split('\n').length <= 8;

/** Code, JSON, or the value of a setting without a field. */
export const CodeValue = ({ value }: Pick<Props, 'value'>) => {
  const text = valueText(value);
  return (
    <code
      // What scrolls must be reachable.
      {...(!isShort(text) && { tabIndex: 0 })}
      className="block max-h-40 overflow-y-auto font-mono text-sm break-words whitespace-pre-wrap"
    >
      {text}
    </code>
  );
};

const SetValue = ({ field, value }: Props) => {
  const { kind, unit } = field;
  if (kind === 'rows') return <Rows field={field} value={value} />;
  if (kind === 'secret' || field.isSecret) return secretInWords(value);
  if (kind === 'flag') return formatBoolean(value === true);
  if (kind === 'choice') return choiceLabel(value);
  if (kind === 'number') return unit === undefined ? valueText(value) : `${valueText(value)} ${unit}`;
  if (kind === 'lines' && Array.isArray(value)) return <CodeValue value={value.map(valueText).join('\n')} />;
  if (kind === 'json') return <CodeValue value={value} />;
  return <code className="font-mono text-sm break-all">{valueText(value)}</code>;
};

/** Each row by its first column, with the other columns below. */
const Rows = ({ field, value }: Props) => {
  const rows = rowsIn(field, value);
  if (rows === undefined) return <CodeValue value={value} />;
  return (
    <ScrollRegion label={field.label} className="max-h-60 overflow-y-auto">
      <ul className="flex flex-col gap-1.5">
        {rows.map(({ title, cells }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the list is replaced whole
          <li key={index}>
            <span className="font-mono text-sm break-all">{title}</span>
            <span className="block text-sm break-words text-muted">
              {cells.map(({ label, text }, at) => (
                <Fragment key={label}>
                  {at > 0 && ', '}
                  <span className="whitespace-nowrap">{`${label} ${text}`.trim()}</span>
                </Fragment>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </ScrollRegion>
  );
};

type RowFacts = { title: string; cells: readonly { label: string; text: string }[] };

/** The rows of a value; undefined if it is not a list of objects or an object. */
const rowsIn = (field: SchemaField, value: unknown): RowFacts[] | undefined => {
  if (field.isRecord && isRecord(value))
    return Object.entries(value).map(([title, text]) => ({
      title,
      cells: [{ label: '', text: field.isSecret ? secretInWords(text) : valueText(text) }],
    }));
  if (!Array.isArray(value) || !value.every(isRecord)) return undefined;
  const [first, ...others] = field.columns;
  return value.map((row) => ({
    title: valueText(row[first?.name ?? ''] ?? '–'),
    cells: others.flatMap(({ name, label, kind }) =>
      row[name] === undefined
        ? []
        : [{ label, text: kind === 'choice' ? choiceLabel(row[name]) : valueText(row[name]) }],
    ),
  }));
};
