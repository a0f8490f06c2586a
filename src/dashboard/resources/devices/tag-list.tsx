/** The value of a tag as text; it can be empty. */
export const tagValueLabel = (value: string): string => (value === '' ? '(empty)' : value);

/** A device's tags on one line, which ends in an ellipsis where they do not all fit; the hint shows all. */
export const TagList = ({ tags }: { tags: Record<string, string> }) => {
  const entries = Object.entries(tags);
  if (entries.length === 0) return null;
  const text = entries.map(([key, value]) => `${key}: ${value}`).join(' · ');
  return (
    <span data-hint={text} className="relative z-1 block space-x-1.5 truncate">
      {entries.map(([key, value]) => (
        <Tag key={key} name={key} value={value} />
      ))}
    </span>
  );
};

const Tag = ({ name, value }: { name: string; value: string }) => (
  <span className="inline-flex max-w-48 shrink-0 items-baseline gap-1 rounded-sm border border-hairline px-1.5 text-sm leading-5">
    <span className="max-w-28 shrink-0 truncate text-muted">{name}</span>
    <span className="min-w-0 truncate">{value}</span>
  </span>
);
