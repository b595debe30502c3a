import { randomUUID } from 'node:crypto';
import { startedTaskSchema } from '@switchyard/operator-api';
import type { Command } from 'commander';
import { z } from 'zod';
import { field } from '../output/labelled-text.ts';
import { withEachId } from '../session/each-id.ts';
import type { Invocation } from '../session/session.ts';
import { withOperator } from './operator.ts';

export interface RerunFlags {
  readonly fromStep?: string;
  readonly text?: string;
}

/** `task delete`. */
export function deleteTasks(invocation: Invocation, command: Command, ids: readonly string[]): Promise<void> {
  return withOperator(invocation, command, (session, api, explain) => {
    const act = async (id: string) => {
      await api.call(`/admin/tasks/${encodeURIComponent(id)}`, z.unknown(), { method: 'DELETE' });
      return { json: {}, text: field('Deleted', id) };
    };
    return withEachId(session, { ids, act, explain });
  });
}

/** `task rerun`. */
export function rerunTasks(
  invocation: Invocation,
  command: Command,
  { ids, ...flags }: RerunFlags & { readonly ids: readonly string[] },
): Promise<void> {
  return withOperator(invocation, command, (session, api, explain) => {
    const act = async (id: string) => {
      const path = `/admin/tasks/${encodeURIComponent(id)}:rerun`;
      const started = await api.call(path, startedTaskSchema, { method: 'POST', body: rerunOf(flags) });
      return { json: started, text: field('Rerun', id) + field('Task', started.taskId) };
    };
    return withEachId(session, { ids, act, explain });
  });
}

function rerunOf({ fromStep, text }: RerunFlags): object {
  return {
    messageId: randomUUID(),
    ...(fromStep !== undefined && { fromStep }),
    ...(text !== undefined && { parts: [{ text }] }),
  };
}
