import { Upload } from 'lucide-react';
import { useRef, type RefObject } from 'react';
import { Button, type ButtonProps } from '../../../ui/controls/button.tsx';
import { FormNotice } from '../../../ui/feedback/form-notice.tsx';

type FileButtonProps = Omit<ButtonProps, 'onClick'> & { label: string; onFile: (file: File) => void };

/** Opens the chooser of the browser. */
export const FileButton = ({ label, onFile, ...props }: FileButtonProps) => {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".csv,text/csv"
        aria-label="CSV file"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // Otherwise choosing the same file again, corrected, would be no change.
          target.value = '';
          if (file !== undefined) onFile(file);
        }}
      />
      <Button {...props} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  );
};

type ChooseFileProps = {
  problem: string | null;
  button: RefObject<HTMLButtonElement | null>;
  onFile: (file: File) => void;
};

/** The first step: a file from the computer, or dropped. */
export const ChooseFile = ({ problem, button, onFile }: ChooseFileProps) => {
  return (
    <div className="flex flex-col gap-4">
      <p>
        A CSV file with a line of column names. One column holds the external ID: the name that the device
        uses in topics and payloads. Each tag has its own column, for example <code>tag:site</code>. Devices
        with a known external ID are updated, others are registered.
      </p>
      {problem !== null && <FormNotice tone="bad">{problem}</FormNotice>}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the button does the same */}
      <div
        className="flex flex-col items-center gap-3 rounded-md border border-dashed border-control p-8 text-center"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const [file] = event.dataTransfer.files;
          if (file !== undefined) onFile(file);
        }}
      >
        <FileButton
          ref={button}
          variant="primary"
          icon={<Upload aria-hidden className="size-4" />}
          label="Choose a file"
          onFile={onFile}
        />
        <span className="text-sm text-muted max-md:hidden">or drop it here</span>
      </div>
    </div>
  );
};
