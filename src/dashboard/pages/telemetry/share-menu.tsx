import { Share2 } from 'lucide-react';
import { copyText } from '../../ui/browser/copy-text.ts';
import { Menu } from '../../ui/overlays/menu.tsx';
import type { MenuItem } from '../../ui/overlays/menu-item.ts';
import { showToast } from '../../ui/feedback/toast.ts';

type Props = {
  isCompact: boolean;
  /** The address of what is shown. */
  link: () => string;
  /** The same with the moments of the range written down; undefined where it holds them already. */
  fixedLink: (() => string) | undefined;
  curl: () => string;
};

/** Hands on what is shown: to a colleague as a link, to a shell as a line. */
export const ShareMenu = ({ isCompact, link, fixedLink, curl }: Props) => {
  const copy = (text: string, done: string) =>
    void copyText(text).then((copied) =>
      showToast(copied ? { title: done } : { title: 'Not copied', detail: text, tone: 'bad' }),
    );
  const items: MenuItem[] = [{ label: 'Copy link', onSelect: () => copy(link(), 'Link copied') }];
  if (fixedLink !== undefined)
    items.push({
      label: 'Copy link to this moment',
      onSelect: () => copy(fixedLink(), 'Link to this moment copied'),
    });
  items.push({ label: 'Copy curl line', onSelect: () => copy(curl(), 'curl line copied') });
  return (
    <Menu
      label="Share"
      isIconOnly={isCompact}
      icon={<Share2 aria-hidden className="size-4" />}
      items={items}
    />
  );
};
