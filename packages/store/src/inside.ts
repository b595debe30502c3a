/** What packages of Switchyard above the store build on: keys, scripts, and the parts of tasks. Not for others. */

export { fingerprintOf } from './archive/task-archive.ts';
export { idText, type OwnedKey, type ShardKeys } from './deployment/keys.ts';
export { agentOf, ownerOf, principalOf, scopeOf } from './deployment/scope.ts';
export { Shards } from './deployment/shards.ts';
export type { Encryption } from './encryption/encryption.ts';
export { decryptWebhook, encryptWebhook, withId } from './encryption/webhook.ts';
export { parseEvent } from './feed/feed-item.ts';
export type { AnnouncedLimits } from './places/places.ts';
export { Consumer, type ConsumerDependencies } from './queue/consumer.ts';
export { type JobCounts, sumOfJobs } from './queue/job-counts.ts';
export type { QueueSample } from './queue/load.ts';
export {
  cardUrlOf,
  deliveryQueueText,
  jobId,
  parseDeliveryQueue,
  parseJobId,
  queueName,
  queueRoot,
  REMOTE_AGENTS,
} from './queue/queue-names.ts';
export { PUSH_QUEUE } from './queue/queues.ts';
export { claimMembers, type TaskMember } from './record/claim-members.ts';
export { recordArgNames, recordArgValues, recordKeyNames, sharedKeyNames } from './record/record-args.ts';
export { type AnnouncedAgent, queuesOf } from './registry/announcement.ts';
export type { StoreInside } from './store.ts';
export { type AcceptDependencies, accept } from './tasks/accept/accept.ts';
export { copyableSteps, stepsBefore } from './tasks/accept/copy-steps.ts';
export { type Origin, originOf, ownMetadata } from './tasks/accept/origin.ts';
export { parseSchedule, scheduleText } from './tasks/accept/schedule.ts';
export type { Acceptance, AnswerAcceptance, InboxEntry } from './tasks/accept/submission.ts';
export { type Cancellation, cancelTask } from './tasks/cancel/cancel.ts';
export { type Deletion, deleteTask } from './tasks/delete/delete.ts';
export { endedIn, findTasks, keptSince, sortableTime, taskIdOf } from './tasks/list/list.ts';
export {
  decodePageToken,
  encodePageToken,
  latestFirst,
  type Page,
  type PageQuery,
  pageOf,
} from './tasks/list/page.ts';
export { type SpentBudget, shareOfShard, spentBudget } from './tasks/quotas/quotas.ts';
export { archivedOwner, type HasArchive } from './tasks/read/archived-reads.ts';
export { BEFORE_HISTORY, bytesIn, type Piece, readPieces, timeOf } from './tasks/read/pieces.ts';
export {
  type CachedReadDependencies,
  readInPieces,
  readTask,
  readTogether,
  readWhole,
  type TaskInPieces,
} from './tasks/read/read.ts';
export { hiddenLetter, stateLetters, stateOf, withdrawnLetter } from './tasks/visibility/state-letters.ts';
export { storedFailureText } from './turns/failures.ts';
export type { NotedModelCall } from './turns/model-notes.ts';
export { WritesLost } from './turns/open-turn.ts';
export { type EventCheck, type GivenEvent, type Giving, giveEvent } from './waits/give-event.ts';
