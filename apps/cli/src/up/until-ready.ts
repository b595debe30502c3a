import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

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

/** What it still waits for, in words. Only a worker that runs others shows that the default agent is missing. */
export async function whatIsMissing(url: string, agent: string | undefined): Promise<string> {
  if (!(await areThere([`${url}/readyz`]))) return 'still starting: the gateway does not answer yet';
  const agents = await fetch(`${url}/agents`, { signal: AbortSignal.timeout(2_000) })
    .then(async (answer) => agentsSchema.parse(await answer.json()).agents)
    .catch(() => []);
  if (!agents.some(({ workers }) => workers > 0)) return 'still starting: no worker runs its agents yet';
  return `no worker runs the default agent${agent ? ` "${agent}"` : ''} yet; ${url}/agents lists those that run`;
}

const agentsSchema = z.object({ agents: z.array(z.object({ workers: z.number() })) });

async function areThere(urls: readonly string[]): Promise<boolean> {
  try {
    const asked = urls.map((url) => fetch(url, { signal: AbortSignal.timeout(2_000) }));
    return (await Promise.all(asked)).every(({ ok }) => ok);
  } catch {
    // Not listening yet.
    return false;
  }
}
