import { setTimeout as delay } from 'node:timers/promises';

/** True once the gateway serves the card of its default agent: gateway, Redis and worker have found each other. */
export async function untilReady(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await answers(`${url}/.well-known/agent-card.json`)) return true;
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    // Not listening yet.
    return false;
  }
}
