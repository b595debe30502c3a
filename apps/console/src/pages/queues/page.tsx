import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function QueuesPage() {
  return (
    <Page title="Queues">
      <Empty icon="queues" title="Not built yet" />
    </Page>
  );
}
