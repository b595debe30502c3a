import type { AuditAction } from '@switchyard/access';
import { A2AError, type SecurityRequirement } from '@switchyard/protocol';
import { challenge } from '../auth/authenticator.ts';
import type { Identity } from '../auth/identity.ts';

/** An operation that needs a scope. */
export type PermissionScope = 'send' | 'read' | 'cancel' | 'push' | 'events' | 'priority' | 'admin';

interface ActionTraits {
  /** The scope that it needs. */
  readonly scope: PermissionScope;
  /** Its name in the audit trail. */
  readonly audit: AuditAction;
}

/** All operations: those of A2A, and the others that the gateway serves. */
export const actions = {
  SendMessage: { scope: 'send', audit: 'send' },
  SendStreamingMessage: { scope: 'send', audit: 'send' },
  GetTask: { scope: 'read', audit: 'read' },
  ListTasks: { scope: 'read', audit: 'read' },
  SubscribeToTask: { scope: 'read', audit: 'read' },
  GetExtendedAgentCard: { scope: 'read', audit: 'read' },
  CancelTask: { scope: 'cancel', audit: 'cancel' },
  CreateTaskPushNotificationConfig: { scope: 'push', audit: 'push-register' },
  GetTaskPushNotificationConfig: { scope: 'push', audit: 'read' },
  ListTaskPushNotificationConfigs: { scope: 'push', audit: 'read' },
  DeleteTaskPushNotificationConfig: { scope: 'push', audit: 'push-delete' },
  GiveEvent: { scope: 'events', audit: 'event' },
  DeleteTask: { scope: 'cancel', audit: 'delete' },
  ListAgents: { scope: 'read', audit: 'read' },
  ReadConversations: { scope: 'read', audit: 'read' },
  ReadSchedules: { scope: 'read', audit: 'read' },
  PauseSchedule: { scope: 'cancel', audit: 'cancel' },
  ResumeSchedule: { scope: 'send', audit: 'send' },
  UploadFile: { scope: 'send', audit: 'send' },
  ReadFile: { scope: 'read', audit: 'read' },
  DeleteFile: { scope: 'cancel', audit: 'delete' },
  EndSchedule: { scope: 'cancel', audit: 'cancel' },
} as const satisfies Readonly<Record<string, ActionTraits>>;

export type Action = keyof typeof actions;

export function isAction(name: string): name is Action {
  return Object.hasOwn(actions, name);
}

/** The scopes of each alternative in a card: a caller needs all scopes of one. */
export function alternativesOf(requirements: readonly SecurityRequirement[]): readonly (readonly string[])[] {
  return requirements.map(({ schemes = {} }) => [...new Set(Object.values(schemes).flatMap(({ list = [] }) => list))]);
}

/** @throws {A2AError} PermissionDenied */
export function requireScopes(identity: Identity, scopes: readonly string[]): void {
  if (!hasAll(identity, scopes)) throw lacking(scopes);
}

/** @param requirements of a card, or of a skill @throws {A2AError} PermissionDenied */
export function requireOneOf(identity: Identity, requirements: readonly SecurityRequirement[] = []): void {
  if (requirements.length === 0) return;
  const alternatives = alternativesOf(requirements);
  const [first] = alternatives;
  if (first && !alternatives.some((scopes) => hasAll(identity, scopes))) throw lacking(first);
}

function hasAll({ scopes: held, principal }: Identity, wanted: readonly string[]): boolean {
  // A caller without explicit scopes may do everything except `admin`.
  const isUnbounded = held.length > 0 && principal.scopes.length === 0;
  return wanted.every((scope) => held.includes(scope) || (isUnbounded && scope !== 'admin'));
}

/** RFC 6750 3.1. Scopes that cannot be in a header are left out, since a card's author may write anything. */
export function lacking(scopes: readonly string[], whatOf = 'the scope'): A2AError {
  const named = scopes.filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/.test(scope)).join(' ');
  return new A2AError('PermissionDenied', `Not allowed without ${whatOf} ${named}`.trimEnd(), {
    challenges: [challenge('Bearer', { error: 'insufficient_scope', scope: named })],
  });
}
