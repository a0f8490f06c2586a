import { paths } from '../../paths.ts';
import { LinkButton } from '../../ui/controls/link.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';

export const NotFoundPage = () => (
  <>
    <PageHeader title="Not found" />
    <div className="rounded-md border border-hairline bg-surface">
      <EmptyState title="Page not found" action={<LinkButton to={paths.overview}>Go to Overview</LinkButton>}>
        Check the address. This version of Penstock may not have the page.
      </EmptyState>
    </div>
  </>
);
