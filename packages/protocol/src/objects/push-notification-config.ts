/** §4.3.2: how to authenticate to a webhook. */
export interface AuthenticationInfo {
  scheme: string;
  credentials?: string;
}

/** §4.3.1: where to send a task's events. Also the request that creates one (§3.1.7). */
export interface TaskPushNotificationConfig {
  tenant?: string;
  id?: string;
  taskId?: string;
  url: string;
  token?: string;
  authentication?: AuthenticationInfo;
}
