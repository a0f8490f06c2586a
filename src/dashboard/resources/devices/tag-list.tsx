/** The value of a tag as text; it can be empty. */
export const tagValueLabel = (value: string): string => (value === '' ? '(empty)' : value);

/** A device's tags on one line, which ends in an ellipsis where they do not all fit; the hint shows all. */
export const TagList = ({ tags }: { tags: Record<string, string> }) => {
  const entries = Object.entries(tags);
  if (entries.length === 0) return null;
  const text = entries.map(([key, value]) => `${key}: ${value}`).join(' · ');
  return (
    // The browser paints an element that is both raised and cut twice as slowly as two elements.
    <span className="relative z-1 min-w-0">
      <span data-hint={text} className="block space-x-1.5 truncate">
        {entries.map(([key, value]) => (
          <Tag key={key} name={key} value={value} />
        ))}
      </span>
    </span>
  );
};

const tagClass = 'max-w-[min(11rem,100%)] rounded-sm border border-hairline px-1.5 text-sm leading-5';

/** The most characters that always fit, however wide they are. A table has many tags, and cutting takes two more boxes each. */
const SHORT_LENGTH = 14;

const Tag = ({ name, value }: { name: string; value: string }) =>
  name.length + value.length <= SHORT_LENGTH ? (
    <span className={`inline-block ${tagClass}`}>
      <span className="text-muted">{name}</span> {value}
    </span>
  ) : (
    <span className={`inline-flex shrink-0 items-baseline gap-1 ${tagClass}`}>
      <span className="max-w-28 shrink-0 truncate text-muted">{name}</span>
      <span className="min-w-0 truncate">{value}</span>
    </span>
  );
