import { CodeText } from './code-text.tsx';
import type { DocumentedField } from './schema-fields.ts';

const Values = ({ values }: { values: readonly string[] }) => (
  <ul className="mt-0.5 flex flex-wrap gap-1" aria-label="Values">
    {values.map((value) => (
      <li
        key={value}
        className="rounded-sm border border-hairline bg-sunken px-1 font-mono text-xs break-all"
      >
        {value === '' ? '""' : value}
      </li>
    ))}
  </ul>
);

const Facts = ({ field: { type, limits, default: defaultValue, pattern } }: { field: DocumentedField }) => (
  <span className="text-muted">
    {[type, ...limits].join(', ')}
    {defaultValue !== undefined && (
      <>
        , default <code className="font-mono text-[0.95em] text-ink">{defaultValue}</code>
      </>
    )}
    {pattern !== undefined && (
      <>
        , pattern <code className="font-mono text-[0.95em] break-all">{pattern}</code>
      </>
    )}
  </span>
);

type Props = {
  fields: readonly DocumentedField[];
  /** Request fields say whether they are required; response fields say whether they may be missing. */
  isResponse?: boolean;
};

/** Fields with their types, limits and meaning; the fields of an object are below it. */
export const FieldList = ({ fields, isResponse = false }: Props) => (
  <dl className="@container divide-y divide-hairline">
    {fields.map((field) => (
      <div
        key={`${field.name} ${field.type}`}
        className="grid gap-x-4 gap-y-0.5 py-2 @sm:grid-cols-[minmax(8rem,2fr)_5fr]"
      >
        <dt className="min-w-0">
          <code className="font-mono text-sm break-all">{field.name}</code>
          {!isResponse && field.isRequired && (
            <span className="ml-2 text-xs text-attention-text">required</span>
          )}
          {isResponse && !field.isRequired && <span className="ml-2 text-xs text-faint">optional</span>}
        </dt>
        <dd className="min-w-0 text-sm break-words">
          <Facts field={field} />
          {field.description !== undefined && (
            <p>
              <CodeText text={field.description} />
            </p>
          )}
          {field.values.length > 0 && <Values values={field.values} />}
          {field.example !== undefined && (
            <p className="text-muted">
              For example <code className="font-mono text-[0.95em] break-all">{field.example}</code>
            </p>
          )}
        </dd>
        {field.fields.length > 0 && (
          <dd className="mt-1 min-w-0 border-l-2 border-hairline pl-3 @sm:col-span-2 @sm:ml-3">
            <FieldList fields={field.fields} isResponse={isResponse} />
          </dd>
        )}
      </div>
    ))}
  </dl>
);
