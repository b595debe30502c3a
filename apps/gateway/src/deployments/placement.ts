import { hash } from 'node:crypto';
import type { Principal } from '@switchyard/protocol';
import { principalKey } from '@switchyard/store';

/** What decides which tasks a deployment has. Times in ms since 1970. */
export interface PlacedDeployment {
  /** As its setting DEPLOYMENT. */
  readonly number: number;
  /** It takes the tasks of these tenants only. Unset: of all that no other deployment names. */
  readonly tenants?: readonly string[] | undefined;
  /** Tenants that it had before `movedAt`. Unset: it may have had any. */
  readonly formerTenants?: readonly string[] | undefined;
  /** Its share of the principals, relative to the others. 0: it takes no new tasks. */
  readonly share: number;
  /** From then on it takes new tasks; after `closedAt`: again. */
  readonly opensAt?: number | undefined;
  /** From then on it takes no new tasks, except in contexts that it has. */
  readonly closedAt?: number | undefined;
  /** When principals that it had were given to others: their contexts are still here. */
  readonly movedAt?: number | undefined;
}

/** A deployment that may have what a principal did earlier. */
export interface Earlier {
  readonly deployment: PlacedDeployment;
  /** Since then the principal's new tasks are elsewhere. */
  readonly sinceMs: number;
}

/** Clocks of two gateways may differ by so much. */
const CLOCKS_DIFFER_MS = 60_000;

/** Which deployment has the tasks of a principal. The same for all gateways with the same file. */
export class Placement {
  readonly #deployments: readonly PlacedDeployment[];

  constructor(deployments: readonly PlacedDeployment[]) {
    this.#deployments = deployments;
  }

  /** The deployment that takes a principal's new tasks; undefined: none takes any now. */
  current(principal: Principal, nowMs = Date.now()): PlacedDeployment | undefined {
    const open = this.#deployments.filter((each) => isOpen(each, nowMs));
    const own = open.filter(({ tenants }) => tenants?.includes(principal.tenant));
    const candidates = own.length > 0 ? own : open.filter(({ tenants }) => tenants === undefined);
    return highest(candidates, principalKey(principal));
  }

  /**
   * Others that may have contexts, messages and tasks of the principal, the latest first. One that opens soon is open for
   * a gateway whose clock is ahead.
   */
  earlier(principal: Principal, nowMs = Date.now()): Earlier[] {
    const current = this.current(principal, nowMs);
    const left = this.#deployments.flatMap((deployment) => {
      if (deployment === current) return [];
      const sinceMs = this.#isNext(deployment, principal, nowMs) ? nowMs : leftAt(deployment, principal, nowMs);
      return sinceMs === undefined ? [] : { deployment, sinceMs };
    });
    return left.sort((a, b) => b.sinceMs - a.sinceMs);
  }

  #isNext(deployment: PlacedDeployment, principal: Principal, nowMs: number): boolean {
    const { opensAt = 0 } = deployment;
    const isSoon = nowMs < opensAt && opensAt <= nowMs + CLOCKS_DIFFER_MS;
    return isSoon && this.current(principal, opensAt) === deployment;
  }
}

function isOpen({ share, opensAt = 0, closedAt = Number.POSITIVE_INFINITY }: PlacedDeployment, nowMs: number): boolean {
  const [hasOpened, hasClosed] = [opensAt <= nowMs, closedAt <= nowMs];
  return share > 0 && (opensAt > closedAt ? hasOpened || !hasClosed : hasOpened && !hasClosed);
}

/** Since when the deployment may have tasks of a principal to whom it gives no new ones; undefined: it has none. */
function leftAt(
  { tenants, formerTenants, closedAt = Number.POSITIVE_INFINITY, movedAt }: PlacedDeployment,
  { tenant }: Principal,
  nowMs: number,
): number | undefined {
  const wasMoved = movedAt !== undefined && (formerTenants?.includes(tenant) ?? true);
  const hasTenant = tenants === undefined || tenants.includes(tenant) || formerTenants?.includes(tenant);
  const isLeft = closedAt <= nowMs && hasTenant;
  const times = [...(wasMoved ? [movedAt] : []), ...(isLeft ? [closedAt] : [])];
  return times.length > 0 ? Math.max(...times) : undefined;
}

/**
 * Rendezvous hashing: each deployment draws a number for the principal, and the highest wins. If one is added or its
 * share grows, principals move to it only.
 */
function highest(candidates: readonly PlacedDeployment[], principal: string): PlacedDeployment | undefined {
  if (candidates.length < 2) return candidates[0];
  let [best, bestScore]: [PlacedDeployment | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const each of candidates) {
    const score = -each.share / Math.log(drawn(`${each.number} ${principal}`));
    if (score > bestScore) [best, bestScore] = [each, score];
  }
  return best;
}

/** Above 0 and below 1. */
function drawn(text: string): number {
  const digits = hash('sha256', text).slice(0, 12);
  return (Number.parseInt(digits, 16) + 0.5) / 2 ** 48;
}
