import { randomUUID } from 'node:crypto';
import { givenEventSchema, startedTaskSchema } from '@switchyard/operator-api';
import { quoted } from '@switchyard/settings/terminal';
import type { Command } from 'commander';
import { z } from 'zod';
import { CommandFailure } from '../failures/failure.ts';
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

export interface EventFlags {
  readonly id?: string;
}

interface EventToGive {
  readonly id: string;
  readonly name: string;
  readonly data: string | undefined;
  readonly eventId: string | undefined;
}

const states: Readonly<Record<string, string>> = {
  taken: 'the task goes on',
  kept: 'the task does not wait for it yet: it is kept until it does',
  'known-before': 'it was given before',
};

/** `task event`. */
export function giveEvent(
  invocation: Invocation,
  command: Command,
  { id, name, data, eventId }: EventToGive,
): Promise<void> {
  const body = {
    name,
    ...(data !== undefined && { data: jsonIn(data) }),
    ...(eventId !== undefined && { id: eventId }),
  };
  return withOperator(invocation, command, async ({ output }, api) => {
    const path = `/admin/tasks/${encodeURIComponent(id)}:event`;
    const given = await api.call(path, givenEventSchema, { method: 'POST', body });
    output.result({ taskId: id, ...given }, () =>
      field('Event', `${given.event}: ${states[given.state] ?? given.state}`),
    );
  });
}

/** @throws {CommandFailure} */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandFailure('A2ACLI_ERR_USAGE', 'the data of the event is not JSON', {
      hint: `Quote a text twice: ${quoted(JSON.stringify(text))}`,
    });
  }
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
