import { isTerminal, type Message, type Part, type Task } from '@switchyard/protocol';
import type { KeepFiles } from '@switchyard/store';
import {
  type Acceptance,
  accept,
  type Origin,
  originOf,
  ownMetadata,
  readTask,
  stepsBefore,
} from '@switchyard/store/inside';
import type { OperatorDependencies } from './operator-dependencies.ts';

/** An operator's request to run a task again. */
export interface RerunRequest {
  /** Id of the new message: a request that is sent twice creates one task. */
  readonly messageId: string;
  /** Replace those of the first message. */
  readonly parts?: readonly Part[] | undefined;
  /** Name of a step: the new task has the results of the steps before it from the start. */
  readonly fromStep?: string | undefined;
  /** Who made the request. */
  readonly operator: string;
  /** Keeps the files of the message for the new task. Default: it has none. */
  readonly keepFiles?: KeepFiles | undefined;
}

/**
 * `missing`: no such task, or its client was not given it. `live`: it has not ended. `unknown-step`: the step has no
 * result. `refused`: the message could not be accepted, and why.
 */
export type RerunResult =
  | { readonly verdict: 'started'; readonly taskId: string }
  | { readonly verdict: 'missing' | 'live' | 'unknown-step' }
  | { readonly verdict: 'refused'; readonly why: Exclude<Acceptance['verdict'], 'accepted'> };

/** Sends the first message of an ended task again, for its principal and in its context: a new task refers to it. */
export async function rerunTask(
  dependencies: OperatorDependencies,
  taskId: string,
  request: RerunRequest,
): Promise<RerunResult> {
  const origin = await originOf(dependencies, taskId);
  if (!origin) return { verdict: 'missing' };
  const reading = await readTask(dependencies, origin.scope, taskId, { includeArtifacts: false });
  if (!reading?.task) return { verdict: 'missing' };
  if (!isTerminal(reading.state)) return { verdict: 'live' };
  const task: Task = JSON.parse(reading.task.toString());
  const [first] = task.history ?? [];
  if (!first) return { verdict: 'missing' };
  const steps = await stepsBefore(dependencies, taskId, request.fromStep);
  if (!steps) return { verdict: 'unknown-step' };
  return start(dependencies, origin, {
    task,
    message: messageOf(task, first, request),
    steps,
    request,
  });
}

interface NewRun {
  readonly task: Task;
  readonly message: Message;
  readonly steps: readonly string[];
  readonly request: RerunRequest;
}

async function start(
  dependencies: OperatorDependencies,
  { scope, given }: Origin,
  { task, message, steps, request: { messageId, operator, keepFiles } }: NewRun,
): Promise<RerunResult> {
  const metadata = { ...given.metadata, 'switchyard.operator': operator };
  const kept = steps.length > 0 && { steps: { taskId: task.id, names: steps } };
  const newTaskId = dependencies.shards.derivedId(task.id, `rerun ${messageId} of ${task.id}`);
  // Before it exists: the old task keeps them until then. Undefined: it may get any id.
  const files = keepFiles?.(scope.principal, message.parts, newTaskId);
  await files;
  const reserved = files && { reservedId: newTaskId };
  const acceptance = await accept(dependencies, scope, { ...given, message, metadata, ...kept, ...reserved });
  // The task was deleted or has expired: without its steps, they would run twice.
  if (acceptance.verdict === 'missing') return { verdict: 'unknown-step' };
  if (acceptance.verdict !== 'accepted') return { verdict: 'refused', why: acceptance.verdict };
  return { verdict: 'started', taskId: acceptance.taskId };
}

function messageOf({ id, contextId = id }: Task, first: Message, { messageId, parts }: RerunRequest): Message {
  const metadata = ownMetadata(first.metadata);
  return {
    messageId,
    role: 'ROLE_USER',
    parts: [...(parts ?? first.parts)],
    contextId,
    referenceTaskIds: [...(first.referenceTaskIds ?? []), id],
    ...(metadata && { metadata }),
    ...(first.extensions && { extensions: first.extensions }),
  };
}
