import { Button } from '../design/button.tsx';
import { Empty } from '../design/views.tsx';

const storedAs = 'switchyard.reloaded';
/** A page that was reloaded so recently is not helped by it. */
const againAfterMs = 30_000;

/**
 * After an upgrade the gateway has other files than those that an open page knows: the page is reloaded, once.
 * @returns false: the gateway does not answer, or the page was reloaded just now
 */
export async function reloadIfUpgraded(): Promise<boolean> {
  const lastMs = Number(sessionStorage.getItem(storedAs) ?? 0);
  if (Date.now() - lastMs < againAfterMs) return false;
  const answers = await fetch('/console/sign-in.json').then(
    ({ ok }) => ok,
    () => false,
  );
  if (!answers) return false;
  sessionStorage.setItem(storedAs, String(Date.now()));
  location.reload();
  return true;
}

/** A file of the console could not be loaded. */
export function MissingFile() {
  return (
    <Empty icon="warning" title="This page could not be loaded">
      The gateway does not answer, or it was upgraded a moment ago.{' '}
      <Button icon="retry" onPress={() => location.reload()}>
        Load it again
      </Button>
    </Empty>
  );
}
