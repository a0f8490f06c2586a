import { List } from 'lucide-react';
import { Menu } from '../../ui/overlays/menu.tsx';
import { tagId, type groupByTag } from './reference.ts';

/** Goes to what the endpoints are about, where there is no room for a list at the side. */
export const TagMenu = ({ groups }: { groups: ReturnType<typeof groupByTag> }) => (
  <Menu
    label="Go to…"
    icon={<List aria-hidden className="size-4" />}
    items={groups.map(({ tag, operations }) => ({
      label: `${tag} (${operations.length})`,
      onSelect: () => {
        const section = document.getElementById(tagId(tag));
        section?.scrollIntoView({ block: 'start' });
        // The menu gives the focus back to its button as it closes: the heading takes it from there.
        document.addEventListener(
          'focusin',
          () => section?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true }),
          { once: true },
        );
      },
    }))}
  />
);
