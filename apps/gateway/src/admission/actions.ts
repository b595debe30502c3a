import type { AuditAction } from '@switchyard/store';

/** What a caller may do by the scope of its name. */
export type Scope = 'send' | 'read' | 'cancel' | 'push' | 'admin';

interface ActionTraits {
  /** That it takes. */
  readonly scope: Scope;
  /** What the audit trail calls it. */
  readonly audit: AuditAction;
}

/** Everything that callers do: the operations of A2A, and what is served besides. */
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
  DeleteTask: { scope: 'cancel', audit: 'delete' },
  ListAgents: { scope: 'read', audit: 'read' },
  ReadConversations: { scope: 'read', audit: 'read' },
} as const satisfies Readonly<Record<string, ActionTraits>>;

export type Action = keyof typeof actions;

export function isAction(name: string): name is Action {
  return Object.hasOwn(actions, name);
}
