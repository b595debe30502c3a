export {
  isOutage,
  isOutOfMemory,
  parseRedisAddress,
  type RedisAddress,
  RedisUnreachable,
  RedisUnusable,
} from '@switchyard/redis';
export {
  ArchiveBusy,
  type ArchivedJson,
  type ArchivedReading,
  type ArchivedTask,
  type ArchivePage,
  type ArchiveQuery,
  type ArchiveStatus,
  ArchiveTooSlow,
  ArchiveUnavailable,
  type ArchiveView,
  type EndedRange,
  type Inspection,
  NotArchivable,
  type TaskArchive,
} from './archive/task-archive.ts';
export type { Placement } from './calls/calls.ts';
export { inspectMasters, type MasterInspection } from './deployment/deployment.ts';
export type { ShardKeys as Shard } from './deployment/keys.ts';
export type { StoreObserver } from './deployment/observer.ts';
export { principalKey, type Scope } from './deployment/scope.ts';
export { defaultStoreSettings, type StoreSettings } from './deployment/settings.ts';
export { deploymentOf, MAX_DEPLOYMENT } from './deployment/shards.ts';
export { Unreadable } from './encryption/encryption.ts';
export type { Webhook, WebhookDraft } from './encryption/webhook.ts';
export {
  type EventId,
  type FeedEvent,
  type FeedItem,
  formatEventId,
  parseEventId,
  plainMessageIn,
  taskItem,
} from './feed/feed-item.ts';
export type { Feeds } from './feed/feeds.ts';
export { type PreSubscription, type ReaderKind, TaskMissing } from './feed/task-feed.ts';
export { MemoryTooLarge } from './memory/memory.ts';
export type { AnnouncedLimits, Places } from './places/places.ts';
export type { Consumer } from './queue/consumer.ts';
export { cardUrlOf, type DeliveryQueueId, queueName, REMOTE_AGENTS, remoteAgentId } from './queue/queue-names.ts';
export type { Queues } from './queue/queues.ts';
export type { JobOutcome } from './queue/running-job.ts';
export type { DueWork } from './queue/shard-checks.ts';
export type { DueTasks } from './record/due-tasks.ts';
export { type AgentAnnouncement, type AnnouncedAgent, namedSkill, skillHint } from './registry/announcement.ts';
export { announceEveryMs, type Registry } from './registry/registry.ts';
export { type Steps, TooManyResults } from './steps/steps.ts';
export { type Availability, type RequestStore, Store } from './store.ts';
export type { KeyedRequest } from './tasks/accept/idempotency-keys.ts';
export type { Schedule } from './tasks/accept/schedule.ts';
export type { Acceptance, KeepFiles, NamedSkill, StepsOfTask, Submission } from './tasks/accept/submission.ts';
export type { TaskPage, TaskQuery } from './tasks/list/list.ts';
export { InvalidPageToken, type Page, type PageQuery } from './tasks/list/page.ts';
export { hasBudgets } from './tasks/quotas/quotas.ts';
export { AnswersTooLarge } from './tasks/read/byte-budget.ts';
export { responseWithGeneration, taskWithGeneration } from './tasks/read/generation.ts';
export { type Json, retain, retainCopies, TaskJson, wrapped } from './tasks/read/task-json.ts';
export type { TaskReading, TaskView } from './tasks/read/task-reading.ts';
export type { Tasks } from './tasks/tasks.ts';
export type { RejectedMessages } from './time-to-live/times-to-live.ts';
export { TaskTooLarge, TooManyArtifacts } from './turns/encoder.ts';
export type { NotedModelCall } from './turns/model-notes.ts';
export { type OpenTurn, type Suspension, TurnFenced } from './turns/open-turn.ts';
export type { Beginning, TurnHooks, TurnJob } from './turns/turn-job.ts';
export type { SpentTurnBudget, TaskBudget, TurnBudgets } from './turns/turn-usage.ts';
export type { GivenStart } from './turns/turns.ts';
export type { EventCheck, Giving } from './waits/give-event.ts';
export type { WaitRequest, Waits } from './waits/waits.ts';
