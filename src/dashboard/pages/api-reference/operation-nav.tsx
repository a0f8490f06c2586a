import { Link } from 'react-router-dom';
import { cx } from '../../ui/browser/cx.ts';
import { type groupByTag, tagId } from './reference.ts';
import { List } from 'lucide-react';
import { Menu } from '../../ui/overlays/menu.tsx';

type Props = {
  groups: ReturnType<typeof groupByTag>;
  opened: readonly string[];
  linkTo: (id: string) => string;
  onJump: (id: string) => void;
};

/** All endpoints by name, at the side; follows the scroll position. */
export const OperationNav = ({ groups, opened, linkTo, onJump }: Props) => (
  <nav
    aria-label="Endpoints"
    className="sticky top-4 max-h-[calc(100dvh-2rem)] overflow-y-auto pr-2 pb-4 text-sm"
  >
    {groups.map(({ tag, operations }) => (
      <div key={tag} className="mb-3">
        <p className="px-2 pb-0.5 font-semibold">{tag}</p>
        <ul aria-label={tag}>
          {operations.map(({ id, method, summary }) => (
            <li key={id}>
              <Link
                to={linkTo(id)}
                preventScrollReset
                onClick={() => onJump(id)}
                aria-current={opened.includes(id) ? 'true' : undefined}
                className={cx(
                  'flex min-h-7 items-baseline gap-2 rounded-sm px-2 py-1 hover:bg-hover hover:text-ink focus-visible:-outline-offset-2 touch:min-h-11 touch:items-center',
                  opened.includes(id) ? 'font-medium text-ink' : 'text-muted',
                )}
              >
                <span className="w-12 shrink-0 font-mono text-xs">{method}</span>
                <span className="min-w-0">{summary}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </nav>
);

/** A menu of the endpoint groups, for screens without room for the list. */
export const TagMenu = ({ groups }: { groups: ReturnType<typeof groupByTag> }) => (
  <Menu
    label="Go to…"
    icon={<List aria-hidden className="size-4" />}
    items={groups.map(({ tag, operations }) => ({
      label: `${tag} (${operations.length})`,
      onSelect: () => {
        const section = document.getElementById(tagId(tag));
        section?.scrollIntoView({ block: 'start' });
        // The closing menu focuses its button, so the heading takes the focus afterwards.
        document.addEventListener(
          'focusin',
          () => section?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true }),
          { once: true },
        );
      },
    }))}
  />
);
