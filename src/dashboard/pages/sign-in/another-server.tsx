import { useId, useState } from 'react';
import { Button } from '../../ui/controls/button.tsx';
import { TextInput } from '../../ui/controls/text-input.tsx';

/** The URL of a dashboard without a trailing slash; null if the text is not a URL. */
const dashboardUrlOf = (text: string): string | null => {
  try {
    const url = new URL(/^[a-z]+:\/\//i.test(text) ? text : `https://${text}`);
    return /^https?:$/.test(url.protocol) ? url.origin + url.pathname.replace(/\/+$/, '') : null;
  } catch {
    return null;
  }
};

/** Each server brings its own dashboard: another one is opened, and nothing of this session goes there. */
export const AnotherServer = () => {
  const [isOpen, setIsOpen] = useState(false);
  const [address, setAddress] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const id = useId();
  if (!isOpen) {
    return (
      <p>
        This is <span className="break-all text-ink">{window.location.host}</span>.{' '}
        <button
          type="button"
          className="min-h-6 rounded-sm text-accent underline underline-offset-2"
          onClick={() => setIsOpen(true)}
        >
          Another server
        </button>
      </p>
    );
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const url = dashboardUrlOf(address.trim());
        setIsWrong(url === null);
        if (url !== null) window.location.assign(`${url}/`);
      }}
    >
      <label htmlFor={id} className="font-medium text-ink">
        Address of the other server
      </label>
      <div className="mt-1.5 flex gap-2">
        <TextInput
          id={id}
          inputMode="url"
          placeholder="https://penstock.example:8080"
          value={address}
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-error`}
          ref={(input) => {
            if (address === '') input?.focus();
          }}
          onChange={(event) => {
            setAddress(event.target.value);
            setIsWrong(false);
          }}
        />
        <Button type="submit">Open</Button>
      </div>
      <p id={`${id}-error`} aria-live="polite" className="mt-1.5 text-bad-text empty:hidden">
        {isWrong && 'This is no address of a server. It looks like https://host:port.'}
      </p>
    </form>
  );
};
