import type { Availability } from '@switchyard/store';
import type { AgentDirectory } from '../agents/agent-directory.ts';
import type { Handler } from '../exchange/exchange.ts';
import { respond } from '../exchange/exchange.ts';

/** `GET /healthz`: the process runs. Does not check Redis, or its outage would restart every gateway. */
export const serveHealth: Handler = (_req, res) => respond(res, 'application/json', '{"status":"ok"}');

export interface Readiness {
  readonly agents: AgentDirectory;
  readonly availability: () => Promise<Availability>;
  readonly isStopping: () => boolean;
}

/**
 * `GET /readyz`: 200 while requests can be served, otherwise 503, also while Redis refuses writes. Needs no worker, as
 * messages are accepted without one; `workers` counts those of the agent at the root.
 */
export function serveReadiness({ agents, availability, isStopping }: Readiness): Handler {
  return async (_req, res) => {
    const store = await availability();
    const redis = store === 'writable' ? 'reachable' : store;
    const isReady = store === 'writable' && !isStopping();
    const agent = agents.default;
    res.statusCode = isReady ? 200 : 503;
    respond(
      res,
      'application/json',
      JSON.stringify({
        status: isStopping() ? 'stopping' : isReady ? 'ready' : 'unavailable',
        redis,
        agent: agent?.id ?? null,
        workers: agent?.workers ?? 0,
      }),
    );
  };
}
