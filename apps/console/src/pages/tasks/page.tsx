import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function TasksPage() {
  return (
    <Page title="Tasks">
      <Empty icon="tasks" title="Not built yet" />
    </Page>
  );
}
