import type { AuditAction } from '@switchyard/store';

/** What a caller may do by the scope of its name. */
export type Scope = 'send' | 'read' | 'cancel' | 'push' | 'admin';

/** Everything that callers do, with the scope that it takes: the operations of A2A, and what is served besides. */
export const scopeOf = {
  SendMessage: 'send',
  SendStreamingMessage: 'send',
  GetTask: 'read',
  ListTasks: 'read',
  SubscribeToTask: 'read',
  GetExtendedAgentCard: 'read',
  CancelTask: 'cancel',
  CreateTaskPushNotificationConfig: 'push',
  GetTaskPushNotificationConfig: 'push',
  ListTaskPushNotificationConfigs: 'push',
  DeleteTaskPushNotificationConfig: 'push',
  DeleteTask: 'cancel',
  ListAgents: 'read',
  ReadConversations: 'read',
} as const satisfies Readonly<Record<string, Scope>>;

export type Action = keyof typeof scopeOf;

/** What the audit trail calls them. */
export const auditedAs = {
  SendMessage: 'send',
  SendStreamingMessage: 'send',
  GetTask: 'read',
  ListTasks: 'read',
  SubscribeToTask: 'read',
  GetExtendedAgentCard: 'read',
  CancelTask: 'cancel',
  CreateTaskPushNotificationConfig: 'push-register',
  GetTaskPushNotificationConfig: 'read',
  ListTaskPushNotificationConfigs: 'read',
  DeleteTaskPushNotificationConfig: 'push-delete',
  DeleteTask: 'delete',
  ListAgents: 'read',
  ReadConversations: 'read',
} as const satisfies Readonly<Record<Action, AuditAction>>;

export function isAction(name: string): name is Action {
  return Object.hasOwn(scopeOf, name);
}
