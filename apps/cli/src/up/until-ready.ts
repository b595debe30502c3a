import { setTimeout as delay } from 'node:timers/promises';

/** True when the gateway has its default agent: gateway, Redis and worker are connected. */
export async function untilReady(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isReady(url)) return true;
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const paths = ['/readyz', '/.well-known/agent-card.json'];
    const asked = paths.map((path) => fetch(url + path, { signal: AbortSignal.timeout(2_000) }));
    return (await Promise.all(asked)).every(({ ok }) => ok);
  } catch {
    // Not listening yet.
    return false;
  }
}
