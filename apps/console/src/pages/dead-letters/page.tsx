import { Page } from '../../design/page.tsx';
import { Empty } from '../../design/views.tsx';

export function DeadLettersPage() {
  return (
    <Page title="Dead letters">
      <Empty icon="dead-letters" title="Not built yet" />
    </Page>
  );
}
