import { type UsageAmounts, usageAmounts } from '@switchyard/protocol';
import { defineScript, integer, tuple, word } from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import { idText } from '../deployment/keys.ts';
import { ownerOf, type Scope } from '../deployment/scope.ts';
import { budgetArgNames, budgetArgValues, hasBudgets } from '../tasks/quotas/quotas.ts';

const recordUsageScript = defineScript({
  file: 'record-usage.lua',
  from: import.meta.url,
  keys: ['tasksRoot', 'usageRoot'],
  args: ['taskId', 'owner', 'fence', 'number', 'isPublished', 'keptMs', 'hasBudgets'],
  each: ['model', 'key', ...usageAmounts],
  reply: word('recorded', 'known', 'gone'),
});

/** What a turn has used of a model. */
export interface ModelUsage extends UsageAmounts {
  readonly model: string;
  /**
   * Set: the amounts are all that was used so far of what this names, such as the task of a remote agent, and what was
   * counted under the same key before is taken off, also by an earlier attempt.
   */
  readonly key?: string | undefined;
}

/** The turn that uses it. */
interface UsingTurn extends Scope {
  readonly taskId: string;
  readonly fence: string;
}

const checkBudgetScript = defineScript({
  file: 'check-budget.lua',
  from: import.meta.url,
  keys: ['tasksRoot', 'usageRoot'],
  args: [
    ...['taskId', 'owner', 'fence', 'microUsd', 'tokens', 'clientUsd', 'clientTokens', 'asks'],
    ...budgetArgNames,
  ] as const,
  reply: tuple(word('free', 'fenced', 'task', 'caller', 'tenant', 'principal'), integer, integer, integer),
});

const continueWorkScript = defineScript({
  file: 'continue-work.lua',
  from: import.meta.url,
  keys: ['tasksRoot'],
  args: ['taskId', 'fence', 'isAllowed'],
  reply: word('continued', 'fenced'),
});

/** What a task may spend, with all tasks below it; 0: no limit. */
export interface TaskBudget {
  readonly microUsd: number;
  readonly tokens: number;
}

/** The budgets of a turn's task. */
export interface TurnBudgets {
  /** Of the task's agent. */
  readonly agent: TaskBudget;
  /** Of the client, that the message of this turn names. */
  readonly client: TaskBudget;
  /** The client is asked whether the task may go on; otherwise it may not. */
  readonly asks: boolean;
}

/** A budget that is spent: of the task, of a task that called it, or of the principal or tenant. */
export interface SpentTurnBudget {
  readonly of: 'task' | 'caller' | 'tenant' | 'principal';
  readonly unit: 'microUsd' | 'tokens';
  readonly spent: number;
  readonly budget: number;
  /** When the budget of a tenant or principal renews, as ms since 1970; otherwise 0. */
  readonly renewsAtMs: number;
  /** Of a task: what it may spend once more, if its client lets it go on; otherwise 0. */
  readonly allowance: number;
}

interface Batch {
  readonly number: number;
  readonly usages: readonly ModelUsage[];
}

/**
 * Counts what a turn uses of models. It is written at once, so that little is lost if the process dies, by a script
 * that counts each batch once, however often its command is sent. A turn that uses none costs nothing.
 */
export class TurnUsage {
  readonly #dependencies: DeploymentDependencies;
  readonly #turn: UsingTurn;
  #waiting: ModelUsage[] = [];
  /** Being written, or not written yet because of an error. */
  #batch: Batch | undefined;
  #number = 0;
  #writing: Promise<void> | undefined;

  constructor(dependencies: DeploymentDependencies, turn: UsingTurn) {
    this.#dependencies = dependencies;
    this.#turn = turn;
  }

  /** Resolves when it is stored. If it cannot be, `flush` tries again. */
  record(usage: ModelUsage): Promise<void> {
    this.#waiting.push(usage);
    return this.flush();
  }

  /** Resolves when everything is stored, also if the turn has lost its task. */
  async flush(): Promise<void> {
    while (this.#batch || this.#waiting.length > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined;
      });
      await this.#writing;
    }
  }

  /** What the task has used so far, with all tasks below it. */
  async total(): Promise<UsageAmounts> {
    await this.flush();
    const { redis, shards } = this.#dependencies;
    const { taskId } = this.#turn;
    const values = await redis.hmget(
      `${shards.of(taskId).task(taskId)}:u`,
      ...usageAmounts.map((one) => `total ${one}`),
    );
    const amounts = usageAmounts.map((amount, i) => [amount, Number(values[i] ?? 0)] as const);
    return Object.fromEntries(amounts.filter(([, value]) => value > 0));
  }

  /**
   * Call it before the turn asks a model or another agent.
   * @returns the budget that is spent; `fenced`: the turn has lost its task; undefined: it may go on
   */
  async spentBudget({ agent, client, asks }: TurnBudgets): Promise<SpentTurnBudget | 'fenced' | undefined> {
    await this.flush();
    const { redis, shards, settings } = this.#dependencies;
    const { taskId, fence } = this.#turn;
    const keys = shards.of(taskId);
    const [of, spent, budget, then] = await checkBudgetScript.run(redis, {
      keys: { tasksRoot: keys.tasks, usageRoot: keys.usage },
      args: {
        taskId: idText(taskId),
        owner: ownerOf(this.#turn),
        fence,
        microUsd: agent.microUsd,
        tokens: agent.tokens,
        clientUsd: client.microUsd,
        clientTokens: client.tokens,
        asks: asks ? '1' : '',
        ...budgetArgValues(settings),
      },
    });
    if (of === 'free') return undefined;
    if (of === 'fenced') return of;
    // See check-budget.lua.
    const unit = budget < 0 ? 'tokens' : 'microUsd';
    return { of, unit, spent: Math.abs(spent), budget: Math.abs(budget), ...followingOf(of, then) };
  }

  /**
   * Call it when the client has answered whether the task may go on: this turn finds the results of the turn that asked.
   * @param isAllowed it may; otherwise its client is asked again
   * @returns false: the turn has lost its task
   */
  async continueWork(isAllowed: boolean): Promise<boolean> {
    const { redis, shards } = this.#dependencies;
    const { taskId, fence } = this.#turn;
    const verdict = await continueWorkScript.run(redis, {
      keys: { tasksRoot: shards.of(taskId).tasks },
      args: { taskId: idText(taskId), fence, isAllowed: isAllowed ? '1' : '' },
    });
    return verdict === 'continued';
  }

  async #write(): Promise<void> {
    // After an error the same batch is written again, with the same number.
    this.#batch ??= { number: ++this.#number, usages: this.#waiting.splice(0) };
    const { redis, shards, settings } = this.#dependencies;
    const { taskId, principal, agent, fence } = this.#turn;
    const { number, usages } = this.#batch;
    const keys = shards.of(taskId);
    await recordUsageScript.run(redis, {
      keys: { tasksRoot: keys.tasks, usageRoot: keys.usage },
      args: {
        taskId: idText(taskId),
        owner: ownerOf({ principal, agent }),
        fence,
        number,
        isPublished: settings.publishUsage ? '1' : '',
        keptMs: settings.usageRetentionMs,
        hasBudgets: hasBudgets(settings) ? '1' : '',
      },
      each: usages.map(usageArguments),
    });
    this.#batch = undefined;
  }
}

function followingOf(of: string, then: number): Pick<SpentTurnBudget, 'renewsAtMs' | 'allowance'> {
  return of === 'task' ? { renewsAtMs: 0, allowance: then } : { renewsAtMs: then, allowance: 0 };
}

function usageArguments({ model, key = '', ...amounts }: ModelUsage) {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, reasoningTokens = 0 } = amounts;
  const { calls = 0, unpricedCalls = 0, microUsd = 0 } = amounts;
  const counted = { inputTokens, outputTokens, cachedTokens, reasoningTokens, calls, unpricedCalls, microUsd };
  return { model: modelName(model), key: key.slice(0, MAX_KEY), ...counted };
}

const [MAX_MODEL, MAX_KEY] = [100, 200];

/** A name as it may stand in JSON and in the name of a field. */
function modelName(model: string): string {
  return model.replace(/[^!#-[\]-~]/g, '_').slice(0, MAX_MODEL) || 'unknown';
}
