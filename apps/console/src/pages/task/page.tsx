import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function TaskPage() {
  return (
    <Page title="Task">
      <Empty icon="tasks" title="Not built yet" />
    </Page>
  );
}
