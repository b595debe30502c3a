import type { GetTaskRequest } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Backend } from '../operations/backend.ts';
import { pollTask } from '../operations/get-task.ts';
import type { UnaryResult } from '../operations/operation.ts';
import { asTask } from './generation.ts';

export interface LongPoll extends GetTaskRequest {
  currentGeneration?: number;
}

/** The end of an ETag: the same version is other JSON than in 1.0. */
const suffix = '-1.1';

/**
 * A2A 1.1, 3.2.7. With `currentGeneration` it waits for a later one: as long as the deployment lets polls wait, or
 * `Prefer: wait` says. It does not wait for a task that has ended.
 */
export async function getTask(backend: Backend, call: Call, request: LongPoll): Promise<UnaryResult> {
  const { currentGeneration: after } = request;
  const waitMs = after !== undefined && call.waitMs === 0 ? Number.POSITIVE_INFINITY : call.waitMs;
  const { version, ...result } = await pollTask(backend, call, request, { knownVersion: knownTo(call), waitMs, after });
  return { ...asTask(result), version: `${version}${suffix}` };
}

/** '' for a version of 1.0, which is none of these. */
function knownTo({ knownVersion }: Call): string | undefined {
  if (knownVersion === undefined) return undefined;
  return knownVersion.endsWith(suffix) ? knownVersion.slice(0, -suffix.length) : '';
}
