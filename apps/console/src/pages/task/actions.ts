import { type Diagnosis, givenEventSchema, startedTaskSchema, type TaskDetail } from '@switchyard/operator-api';
import type { Part } from '@switchyard/protocol';
import { z } from 'zod';
import { call } from '../../app/api.ts';

const post = { method: 'POST' } as const;
const any = z.unknown();
type GivenEvent = z.infer<typeof givenEventSchema>;

export async function cancelTask(taskId: string): Promise<void> {
  await call(`/admin/tasks/${taskId}:cancel`, any, post);
}

/** @param messageId makes a repeated answer idempotent */
export const answerTask = (taskId: string, messageId: string, parts: readonly Part[]): Promise<unknown> =>
  call(`/admin/tasks/${taskId}:answer`, any, { ...post, body: { messageId, parts } });

/** @param id a repeated event is taken once @returns what became of it */
export const giveEvent = (taskId: string, event: { name: string; data: unknown; id: string }): Promise<GivenEvent> =>
  call(`/admin/tasks/${taskId}:event`, givenEventSchema, { ...post, body: event });

interface Rerun {
  /** A repeated request creates one task. */
  readonly messageId: string;
  readonly parts?: readonly Part[] | undefined;
  readonly fromStep?: string | undefined;
}

/** @returns id of the new task */
export async function rerunTask(taskId: string, body: Rerun): Promise<string> {
  return (await call(`/admin/tasks/${taskId}:rerun`, startedTaskSchema, { ...post, body })).taskId;
}

/** Retries the message of a dead letter, with all its fields. @returns id of the new task */
export async function retryDeadLetter(taskId: string): Promise<string> {
  return (await call(`/admin/dead-letters/${taskId}:retry`, startedTaskSchema, post)).taskId;
}

/** Actions that can run at once; `undefined`: the action needs a person or a form. */
export function immediateAction(action: Diagnosis['actions'][number], detail: TaskDetail): ImmediateAction | undefined {
  const [agent] = detail.diagnosis.see.filter(({ kind }) => kind === 'agent');
  const [worker] = detail.diagnosis.see.filter(({ kind }) => kind === 'worker');
  if (action === 'resume-agent')
    return postAction(
      `Resume ${agent?.id ?? detail.agent}`,
      `/admin/agents/${encodeURIComponent(agent?.id ?? detail.agent)}:resume`,
    );
  if (action === 'drain-worker' && worker)
    return postAction('Drain the worker', `/admin/workers/${encodeURIComponent(worker.id)}:drain`);
  return undefined;
}

interface ImmediateAction {
  readonly label: string;
  readonly run: () => Promise<unknown>;
}

const postAction = (label: string, path: string): ImmediateAction => ({ label, run: () => call(path, any, post) });
