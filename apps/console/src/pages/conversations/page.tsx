import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function ConversationsPage() {
  return (
    <Page title="Conversations">
      <Empty icon="conversations" title="Not built yet" />
    </Page>
  );
}
