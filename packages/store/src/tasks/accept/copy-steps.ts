import { defineScript, word } from '@switchyard/redis';
import type { DeploymentDependencies } from '../../deployment/deployment.ts';
import type { Shards } from '../../deployment/shards.ts';
import type { StepsOfTask } from './submission.ts';

const copyScript = defineScript({
  file: 'copy-steps.lua',
  from: import.meta.url,
  keys: ['from', 'to'],
  args: ['expireMs', 'steps*'],
  reply: word('copied', 'unknown'),
});

type CopyStepsDependencies = Pick<DeploymentDependencies, 'redis' | 'shards'>;

/** How long copied steps are kept until their task is made, which takes one round trip. */
const COPIED_MS = 60_000;
const RESULT = 'result step ';
const ORDER = 'order step ';

/**
 * Names of the steps of a task's first message whose results are kept, in the order in which they were begun.
 */
export async function copyableSteps({ redis, shards }: CopyStepsDependencies, taskId: string): Promise<string[]> {
  const key = stepsKey(shards, taskId);
  const [number, fields] = await Promise.all([redis.hget(key, 'message'), redis.hkeys(key)]);
  const names = fields.filter((field) => field.startsWith(RESULT)).map((field) => field.slice(RESULT.length));
  if (number !== '1' || names.length === 0) return [];
  const orders = await redis.hmget(key, ...names.map((name) => ORDER + name));
  const begun = names.map((name, i) => ({ name, order: Number(orders[i]) }));
  return begun.sort((a, b) => a.order - b.order).map(({ name }) => name);
}

/** The steps of a task before `step`; empty if it is unset; undefined if no result of it is kept. */
export async function stepsBefore(
  dependencies: CopyStepsDependencies,
  taskId: string,
  step: string | undefined,
): Promise<readonly string[] | undefined> {
  if (step === undefined) return [];
  const kept = await copyableSteps(dependencies, taskId);
  return kept.includes(step) ? kept.slice(0, kept.indexOf(step)) : undefined;
}

/**
 * @param to id of a task that is about to be made
 * @returns unknown: one of the steps has no result, and none is copied
 */
export function copySteps(
  { redis, shards }: CopyStepsDependencies,
  { taskId, names }: StepsOfTask,
  to: string,
): Promise<'copied' | 'unknown'> {
  const keys = { from: stepsKey(shards, taskId), to: stepsKey(shards, to) };
  return copyScript.run(redis, { keys, args: { expireMs: COPIED_MS, steps: names } });
}

const stepsKey = (shards: Shards, taskId: string): string => `${shards.of(taskId).task(taskId)}:s`;
