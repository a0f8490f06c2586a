import { CopyButton } from './copy-button.tsx';

/** Text to be copied as it is. Long lines scroll inside; the block can be reached by keyboard for that. */
export const CodeBlock = ({
  code,
  label,
  onCopied,
}: {
  code: string;
  label: string;
  onCopied?: () => void;
}) => (
  <div className="relative rounded-md border border-hairline bg-sunken">
    {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable */}
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className="overflow-x-auto p-3 pr-12 font-mono text-sm leading-5"
    >
      {code}
    </pre>
    <CopyButton
      text={code}
      label={`Copy: ${label}`}
      className="absolute top-1 right-1 bg-sunken"
      {...(onCopied !== undefined && { onCopied })}
    />
  </div>
);
