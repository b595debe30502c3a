import type { ScalerSettings } from './scaler.ts';

/** Seconds of processor that a task takes. Each time is drawn anew around them (exponentially): some tasks are large. */
export interface TaskCosts {
  readonly acceptAtGateway: number;
  readonly acceptAtRedis: number;
  readonly completeAtWorker: number;
  readonly completeAtRedis: number;
}

/** What is simulated. Times in seconds. */
export interface Scenario {
  readonly seed: number;
  readonly seconds: number;
  readonly costs: TaskCosts;
  readonly gateways: number;
  readonly shards: number;
  readonly workers: number;
  /** Turns that a worker runs at the same time; each shard gets its part of them, rounded up. */
  readonly concurrency: number;
  readonly turnSeconds: number;
  /** Tasks that arrive in a second, from some time on. */
  readonly arrivals: readonly { readonly from: number; readonly perSecond: number }[];
  /** A share of all tasks belongs to a few contexts, each of which lives on one shard. */
  readonly hot: { readonly share: number; readonly contexts: number };
  /** The master of this shard is gone for so long, until its replica takes over. */
  readonly failOver?: { readonly at: number; readonly seconds: number; readonly shard: number } | undefined;
  readonly scaler?: ScalerSettings | undefined;
  /** Of a request to the gateway and back, and on to Redis. */
  readonly networkSeconds: number;
  /** STORE_TIMEOUT_MS of the gateway: then 503. The client sends the same message again, after a while. */
  readonly storeTimeoutSeconds: number;
  readonly retryAfterSeconds: number;
}
