import { CopyButton } from '../controls/copy-button.tsx';
import { ScrollRegion } from './scroll-region.tsx';

/** Text to copy. Long lines scroll inside; the block is focusable for that. */
export const CodeBlock = ({
  code,
  label,
  onCopied,
}: {
  code: string;
  label: string;
  onCopied?: () => void;
}) => (
  <div className="flex items-start rounded-md border border-hairline bg-sunken">
    <ScrollRegion label={label} className="min-w-0 flex-1 overflow-x-auto rounded-md">
      <pre className="w-max py-3 pl-3 font-mono text-sm leading-5">{code}</pre>
    </ScrollRegion>
    <CopyButton
      text={code}
      label={`Copy: ${label}`}
      className="m-1"
      {...(onCopied !== undefined && { onCopied })}
    />
  </div>
);
