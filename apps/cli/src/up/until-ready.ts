import { setTimeout as delay } from 'node:timers/promises';

/** True when the gateway has its default agent: gateway, Redis and worker are connected. */
export async function untilReady(url: string, agent: string | undefined, signal: AbortSignal): Promise<boolean> {
  // By its id, an agent that is not there yet is a 404; at the root it is a 503, which the gateway logs as an error.
  const card = `${agent === undefined ? '' : `/agents/${agent}`}/.well-known/agent-card.json`;
  while (!signal.aborted) {
    if (await areThere([`${url}/readyz`, url + card])) return true;
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

async function areThere(urls: readonly string[]): Promise<boolean> {
  try {
    const asked = urls.map((url) => fetch(url, { signal: AbortSignal.timeout(2_000) }));
    return (await Promise.all(asked)).every(({ ok }) => ok);
  } catch {
    // Not listening yet.
    return false;
  }
}
