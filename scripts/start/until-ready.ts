import { setTimeout as delay } from 'node:timers/promises';

/** True once the gateway knows its default agent: gateway, Redis and worker have found each other. */
export async function untilReady(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await isReady(url)) return true;
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    const { agent } = (await response.json()) as { agent?: string | null };
    return response.ok && typeof agent === 'string';
  } catch {
    // Not listening yet.
    return false;
  }
}
