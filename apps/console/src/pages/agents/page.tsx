import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function AgentsPage() {
  return (
    <Page title="Agents">
      <Empty icon="agents" title="Not built yet" />
    </Page>
  );
}
