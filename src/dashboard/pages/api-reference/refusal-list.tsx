import type { Refusal } from './reference.ts';

/** Codes of errors with their status and what they mean. */
export const RefusalList = ({ refusals }: { refusals: readonly Refusal[] }) => (
  <ul className="divide-y divide-hairline">
    {refusals.map(({ status, code, title }) => (
      <li key={`${status} ${code}`} className="flex items-baseline gap-3 py-1.5 text-sm">
        <span className="tabular">{status}</span>
        <span className="flex min-w-0 flex-wrap gap-x-3">
          <code className="font-mono">{code}</code>
          <span className="text-muted">{title}</span>
        </span>
      </li>
    ))}
  </ul>
);
