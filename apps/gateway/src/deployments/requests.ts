import { AuditTrail, Credentials } from '@switchyard/access';
import { Conversations } from '@switchyard/conversations';
import { Webhooks } from '@switchyard/push';
import { ScheduleList } from '@switchyard/schedules';
import type { RequestStore, Store } from '@switchyard/store';

/** What serves the requests of clients and operators at a deployment: none of it waits long for Redis. */
export interface Requests extends RequestStore {
  /** Without `follow`: a stream waits for Redis, and so does its subscription. */
  readonly conversations: Omit<Conversations, 'follow'>;
  readonly webhooks: Webhooks;
  readonly schedules: ScheduleList;
  readonly credentials: Credentials;
  readonly audit: AuditTrail;
}

/** @param timeoutMs how long a request waits for Redis */
export function requestsAt(store: Pick<Store, 'forRequests'>, timeoutMs: number): Requests {
  const requests = store.forRequests(timeoutMs);
  const { inside } = requests;
  return {
    ...requests,
    conversations: new Conversations(inside),
    webhooks: new Webhooks(inside),
    schedules: new ScheduleList(inside),
    credentials: new Credentials(inside),
    audit: new AuditTrail(inside),
  };
}
