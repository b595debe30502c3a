import type { FileStore } from '@switchyard/files';
import type { OperatorTasks } from '@switchyard/operators';
import { A2AError } from '@switchyard/protocol';
import type { ScheduleList } from '@switchyard/schedules';
import type { Feeds, TaskReading, Tasks, TaskView } from '@switchyard/store';
import type { Action } from '../admission/scopes.ts';
import { offersPush, offersStreaming } from '../agents/build-card.ts';
import type { Cards } from '../agents/cards.ts';
import type { Call } from '../call/call.ts';
import type { GatewaySettings } from '../settings/gateway-settings.ts';
import type { Emit } from '../telemetry/events.ts';
import type { PushBackend } from './push-backend.ts';

/** The part of the store's tasks that operations use. */
export type TaskStore = Pick<
  Tasks,
  | 'accept'
  | 'spentBudget'
  | 'read'
  | 'list'
  | 'cancel'
  | 'withdraw'
  | 'reveal'
  | 'delete'
  | 'claimKey'
  | 'dropKey'
  | 'stepsBefore'
  | 'taskOfMessage'
  | 'newTaskId'
  | 'mayHave'
  | 'makeAnswer'
>;

/** What operations need. */
export interface Backend {
  /** Finds the deployment of a valid request. Unset: there is only this one. @throws {A2AError} Unavailable */
  readonly backendFor?: (operation: Action, call: Call, request: object) => Promise<Backend>;
  /** Tasks of other deployments that lists include. */
  readonly alsoListed?: readonly Tasks[];
  readonly emit: Emit;
  readonly tasks: TaskStore;
  readonly feeds: Pick<Feeds, 'follow' | 'presubscribe'>;
  /** Why a task does not go on. */
  readonly diagnoses: Pick<OperatorTasks, 'diagnosis'>;
  readonly schedules: Pick<ScheduleList, 'read' | 'nowMs'>;
  /** Rejects messages that nobody begins in their time to live. */
  readonly late: { follow(taskId: string, ttlMs: number): void };
  /** Unset: the deployment stores no files. */
  readonly files: FileStore | undefined;
  /** Unset: push notifications are off. */
  readonly push: PushBackend | undefined;
  readonly cards: Pick<Cards, 'offersExtended' | 'extendedCardFor'>;
  readonly settings: Pick<
    GatewaySettings,
    | 'audit'
    | 'sendMode'
    | 'blockingWaitMs'
    | 'acknowledgedIsAnswered'
    | 'cancelWaitMs'
    | 'maxPollWaitMs'
    | 'messageHoldMs'
    | 'minCronIntervalMs'
    | 'files'
    | 'maxBodyBytes'
  >;
}

/** @throws {A2AError} TaskNotFound */
export async function existingTask(
  { tasks }: Backend,
  call: Call,
  taskId: string,
  view?: TaskView,
): Promise<TaskReading> {
  const reading = await tasks.read(call.scope, taskId, view);
  if (!reading || reading.isWithdrawn || reading.isHidden) throw taskNotFound(taskId);
  return reading;
}

/** No such task of this caller: does not reveal whether another caller has it (A2A 3.3.2). */
export function taskNotFound(taskId: string): A2AError {
  return new A2AError('TaskNotFound', 'The task does not exist or is not accessible', { metadata: { taskId } });
}

/**
 * For the four operations on push notification configs, and a config in SendMessage: each MUST be refused if the card
 * has no push notifications (A2A 3.3.4).
 * @throws {A2AError} PushNotificationNotSupported
 */
export function requirePush({ push }: Backend, { agent }: Call): PushBackend {
  if (push && offersPush(agent.card)) return push;
  throw new A2AError('PushNotificationNotSupported', 'This agent does not offer push notifications');
}

/** @throws {A2AError} UnsupportedOperation: the agent's card has no streaming (A2A 3.3.4) */
export function requireStreaming({ agent }: Call): void {
  if (!offersStreaming(agent.card)) throw new A2AError('UnsupportedOperation', 'This agent does not offer streaming');
}
