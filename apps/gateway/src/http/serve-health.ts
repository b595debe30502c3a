import type { Availability } from '@switchyard/store';
import { type Handler, respond } from '../exchange/exchange.ts';

/** `GET /healthz`: the process works. Does not check Redis, because an outage would restart every gateway. */
export const serveHealth: Handler = (_req, res) => respond(res, 'application/json', '{"status":"ok"}');

/** How long the result of a check is cached. */
const KEPT_MS = 500;

export interface ServedDeployment {
  readonly number: number;
  readonly isAnswering: boolean;
}

export interface ReadinessSources {
  /** Answers within a second, whatever Redis does. */
  readonly availability: () => Promise<Availability>;
  readonly isStopping: () => boolean;
  /** Each of several deployments; undefined: there is one. */
  readonly deployments: readonly ServedDeployment[] | undefined;
}

export interface ReadinessReading {
  readonly status: 'ready' | 'unavailable' | 'stopping';
  /** With several deployments: of any that takes writes. */
  readonly redis: Availability;
  /** Each of several. */
  readonly deployments?: readonly ServedDeployment[];
}

/** Whether requests can be served. Needs no worker: messages are accepted without one. */
export class Readiness {
  readonly #sources: ReadinessSources;
  #check: Promise<Availability> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(sources: ReadinessSources) {
    this.#sources = sources;
  }

  /** Checks Redis at most twice a second, because the endpoint is public. */
  async read(): Promise<ReadinessReading> {
    const redis = await this.#availability();
    const { isStopping, deployments } = this.#sources;
    const status = redis === 'writable' ? 'ready' : 'unavailable';
    const each = deployments?.map(({ number, isAnswering }) => ({ number, isAnswering }));
    return { status: isStopping() ? 'stopping' : status, redis, ...(each && { deployments: each }) };
  }

  #availability(): Promise<Availability> {
    if (!this.#check || performance.now() - this.#checkedAt > KEPT_MS) {
      this.#checkedAt = Number.POSITIVE_INFINITY;
      this.#check = this.#sources.availability().finally(() => {
        this.#checkedAt = performance.now();
      });
    }
    return this.#check;
  }
}

/**
 * `GET /readyz`: 200 while requests can be served, otherwise 503, also while Redis refuses writes. Has no details,
 * because it is public; operators find them at `/admin/health`.
 */
export function serveReadiness(readiness: Readiness): Handler {
  return async (_req, res) => {
    const { status } = await readiness.read();
    res.statusCode = status === 'ready' ? 200 : 503;
    respond(res, 'application/json', JSON.stringify({ status }));
  };
}
