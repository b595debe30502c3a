import type { Principal } from '@switchyard/protocol';
import { defineScript, integer, tuple, word } from '@switchyard/redis';
import type { DeploymentDependencies } from '../../deployment/deployment.ts';
import { principalKey } from '../../deployment/scope.ts';
import type { StoreSettings } from '../../deployment/settings.ts';

/** The limits that quotas.lua reads. */
export const quotaArgNames = [
  'maxOpen',
  'maxKept',
  'maxOpenOfTenant',
  'maxBytes',
  'maxScheduled',
  'dropAfterMs',
] as const;

/** Room for an uneven spread over shards: each has its own part of a limit. */
const UNEVEN = 1.25;

/** The part of a limit that holds in one shard. */
export function shareOfShard({ shards }: Pick<StoreSettings, 'shards'>, limit: number): number {
  return shards === 1 ? limit : Math.ceil((limit / shards) * UNEVEN);
}

/** The values of `quotaArgNames`, of one shard. */
export function quotaArgValues(settings: StoreSettings): Readonly<Record<(typeof quotaArgNames)[number], number>> {
  const { maxOpenTasks, maxKeptTasks, maxOpenTasksOfTenant, maxBytesOfTenant, maxScheduled } = settings;
  const { makeRoomAtPercent, retentionMinMs } = settings;
  const part = (limit: number): number => shareOfShard(settings, limit);
  return {
    maxOpen: part(maxOpenTasks),
    maxKept: part(maxKeptTasks),
    maxOpenOfTenant: part(maxOpenTasksOfTenant),
    maxBytes: part(maxBytesOfTenant),
    maxScheduled: part(maxScheduled),
    dropAfterMs: makeRoomAtPercent === 0 ? 0 : Math.max(1, retentionMinMs),
  };
}

export const budgetArgNames = ['tenantDay', 'tenantMonth', 'principalDay', 'principalMonth'] as const;

const readBudgetsScript = defineScript({
  file: 'read-budgets.lua',
  from: import.meta.url,
  keys: ['usageRoot'],
  args: ['principal', ...budgetArgNames],
  reply: tuple(word('free', 'tenant', 'principal'), integer, integer, integer),
});

/** The budget of a tenant or principal that is spent. */
export interface SpentBudget {
  readonly of: 'tenant' | 'principal';
  /** Millionths of a US dollar. */
  readonly spentMicroUsd: number;
  readonly budgetMicroUsd: number;
  /** When it renews, as ms since 1970. */
  readonly renewsAtMs: number;
}

/** The values of `budgetArgNames`, of one shard. */
export function budgetArgValues(settings: StoreSettings): Readonly<Record<(typeof budgetArgNames)[number], number>> {
  const part = (budget: number): number => shareOfShard(settings, budget);
  return {
    tenantDay: part(settings.budgetOfTenantPerDay),
    tenantMonth: part(settings.budgetOfTenantPerMonth),
    principalDay: part(settings.budgetOfPrincipalPerDay),
    principalMonth: part(settings.budgetOfPrincipalPerMonth),
  };
}

/** Whether tenants or principals have budgets. */
export function hasBudgets(settings: StoreSettings): boolean {
  return Object.values(budgetArgValues(settings)).some((budget) => budget > 0);
}

/** Whether the principal, or its tenant, has spent its budget on any shard. @returns undefined: there is some left */
export async function spentBudget(
  { redis, shards, settings }: DeploymentDependencies,
  principal: Principal,
): Promise<SpentBudget | undefined> {
  if (!hasBudgets(settings)) return undefined;
  const args = { principal: principalKey(principal), ...budgetArgValues(settings) };
  const replies = await Promise.all(
    shards.all.map(({ usage: usageRoot }) => readBudgetsScript.run(redis, { keys: { usageRoot }, args })),
  );
  for (const [of, spentMicroUsd, budgetMicroUsd, renewsAtMs] of replies)
    if (of !== 'free') return { of, spentMicroUsd, budgetMicroUsd, renewsAtMs };
  return undefined;
}
