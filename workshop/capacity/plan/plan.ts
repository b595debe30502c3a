import type { Figures } from '../figures/figures.ts';
import { busCores, coresOf, used, workerCores } from './cores.ts';
import { type Load, shareOf } from './load.ts';
import { memoryBytes } from './memory.ts';

/** MAX_STREAMS of a gateway. */
const STREAMS_OF_GATEWAY = 20_000;
/** What SHARDS may be: apps/gateway/src/config.ts. */
const MOST_SHARDS = 256;
/** What a deployment is recommended to have at most: every worker asks every shard. */
const FEW_SHARDS = 16;
const MOST_DEPLOYMENTS = 10_000;

/** How many of a program, and what decides it. */
export interface Count {
  readonly count: number;
  readonly decidedBy: 'processor' | 'streams' | 'turns';
}

/** What carries a load. */
export interface Plan {
  readonly gateways: Count;
  readonly workers: Count;
  /** Masters of one deployment; undefined: however many there are, they are not enough. */
  readonly masters: number | undefined;
  /** The same, if events were published on the channels of their shards alone (SPUBLISH): not built. */
  readonly mastersIfSharded: number | undefined;
  /** Deployments beside each other that carry it together, each with so many masters, 16 at most. */
  readonly deployments: { readonly count: number; readonly masters: number } | undefined;
  /** Of all masters together, replicas aside. */
  readonly memoryBytes: number;
  /** Written to the append-only files, and sent to each replica, in a second. */
  readonly fileBytes: number;
}

export function planFor(figures: Figures, load: Load): Plan {
  const workers = workersFor(figures, load);
  return {
    gateways: gatewaysFor(figures, load),
    workers,
    masters: mastersFor(figures, load, workers.count),
    mastersIfSharded: mastersFor(figures, load, workers.count, { isSharded: true }),
    deployments: deploymentsFor(figures, load),
    memoryBytes: memoryBytes(figures, load),
    fileBytes: used('fileBytes', figures, load),
  };
}

/** A gateway is one process, with one core for its JavaScript. */
function gatewaysFor(figures: Figures, load: Load): Count {
  const own = figures.idle.gateway.gateway / 1_000_000;
  const byProcessor = atLeastOne(coresOf('gateway', figures, load) / (load.utilisation - own));
  const byStreams = Math.ceil(load.openStreams / STREAMS_OF_GATEWAY);
  return byStreams > byProcessor
    ? { count: byStreams, decidedBy: 'streams' }
    : { count: byProcessor, decidedBy: 'processor' };
}

/** Turns that run at once are arrivals times their length (Little). */
function workersFor(figures: Figures, load: Load): Count {
  const own = figures.idle.worker.worker / 1_000_000;
  const byProcessor = atLeastOne(coresOf('worker', figures, load) / (load.utilisation - own));
  const turns = load.tasksPerSecond * load.turnSeconds;
  const byTurns = Math.ceil(turns / (load.concurrency * load.utilisation));
  return byTurns > byProcessor
    ? { count: byTurns, decidedBy: 'turns' }
    : { count: byProcessor, decidedBy: 'processor' };
}

/** A master has one core for everything. Each holds one shard, so each is asked by every worker. */
function mastersFor(figures: Figures, load: Load, workers: number, { isSharded = false } = {}): number | undefined {
  const cores = coresOf('redis', figures, load);
  const left = load.utilisation - workers * workerCores(figures);
  if (cores <= left) return 1;
  const each = left - (isSharded ? 0 : busCores(figures, load));
  const count = Math.ceil(cores / each);
  return each > 0 && count <= MOST_SHARDS ? count : undefined;
}

/** The fewest that need no more than a few shards. Each serves clients, and agents, of its own. */
function deploymentsFor(figures: Figures, load: Load): Plan['deployments'] {
  for (let count = 1; count <= MOST_DEPLOYMENTS; count++) {
    const share = shareOf(load, count);
    const masters = mastersFor(figures, share, workersFor(figures, share).count);
    if (masters !== undefined && masters <= FEW_SHARDS) return { count, masters };
  }
  return undefined;
}

const atLeastOne = (count: number): number => Math.max(1, Math.ceil(count));
