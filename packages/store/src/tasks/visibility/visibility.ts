import { type DurableDependencies, defineScript, runDurably, word } from '@switchyard/redis';
import { ownerOf, type Scope } from '../../deployment/scope.ts';
import type { Shards } from '../../deployment/shards.ts';
import { hiddenLetter, stateLetters, withdrawnLetter } from './state-letters.ts';

const setVisibilityScript = defineScript({
  file: 'set-visibility.lua',
  from: import.meta.url,
  keys: ['task', 'indexRoot'],
  args: ['taskId', 'owner', 'from', 'to'],
  reply: word('changed', 'kept'),
});

export interface VisibilityDependencies extends DurableDependencies {
  readonly shards: Shards;
}

/** Hides a task whose caller got a message instead (A2A 3.1.1) from all lists. Idempotent. */
export async function withdrawTask(
  { redis, shards }: VisibilityDependencies,
  scope: Scope,
  taskId: string,
): Promise<void> {
  const change = { from: stateLetters.TASK_STATE_COMPLETED, to: withdrawnLetter };
  await setVisibilityScript.run(redis, callOf(shards, scope, taskId, change));
}

/**
 * Shows a hidden task, because its caller is given it: a fail-over must not hide it again. Idempotent.
 * @throws {NotReplicated}
 */
export async function revealTask(dependencies: VisibilityDependencies, scope: Scope, taskId: string): Promise<void> {
  const change = { from: hiddenLetter, to: stateLetters.TASK_STATE_SUBMITTED };
  await runDurably(dependencies, setVisibilityScript, callOf(dependencies.shards, scope, taskId, change));
}

function callOf(shards: Shards, scope: Scope, taskId: string, change: { from: string; to: string }) {
  const { task, indexRoot } = shards.of(taskId).record(taskId);
  return { keys: { task, indexRoot }, args: { taskId, owner: ownerOf(scope), ...change } };
}
