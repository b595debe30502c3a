import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function InboxPage() {
  return (
    <Page title="Inbox">
      <Empty icon="inbox" title="Not built yet" />
    </Page>
  );
}
