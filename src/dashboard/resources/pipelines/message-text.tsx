import { CopyButton } from '../../ui/controls/copy-button.tsx';

/** About a message whose text differs from the received bytes. */
export const TRUNCATED_NOTE = 'Only the beginning or the text part of this message is shown.';

/** A message as it was received, to scroll and to copy. */
export const MessageText = ({ message }: { message: string }) => (
  <div className="relative rounded-md border border-hairline bg-sunken">
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable
      tabIndex={0}
      className="max-h-40 overflow-y-auto rounded-md p-3 pr-12 font-mono text-sm leading-5 break-words whitespace-pre-wrap"
    >
      {message === '' ? <span className="text-faint">(empty)</span> : message}
    </pre>
    {message !== '' && (
      <CopyButton text={message} label="Copy message" className="absolute top-1 right-1 bg-sunken" />
    )}
  </div>
);
