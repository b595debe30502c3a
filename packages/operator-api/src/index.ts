export {
  type ArchiveCheckProgress,
  type ArchiveProblem,
  type ArchiveRecount,
  type ArchiveStatus,
  archiveCheckSchema,
  archiveProblems,
  archiveRecountSchema,
  archiveSchema,
} from './archive.ts';
export {
  type Call,
  type ConnectionListeners,
  OperatorClient,
  type OperatorClientOptions,
  type Query,
} from './client.ts';
export { type Conversation, type ConversationRow, conversationRowSchema, conversationSchema } from './conversations.ts';
export {
  type BulkProgress,
  bulkProgressSchema,
  type DeadLetter,
  type DeadLetterFilter,
  deadLetterFilterSchema,
  deadLetterSchema,
} from './dead-letters.ts';
export {
  type AgentReading,
  agentReadingSchema,
  type LogLevel,
  type LogLevelReading,
  levelsText,
  logLevelReadingSchema,
  logLevelSchema,
  type Me,
  meSchema,
  type Series,
  seriesNames,
  seriesSchema,
  tenantShareSchema,
  type WaitingTask,
  type WorkerReading,
  waitingTaskSchema,
  workerReadingSchema,
} from './deployment.ts';
export { type Diagnosis, diagnosisSchema, findings } from './diagnosis.ts';
export { OperatorError } from './error.ts';
export { readEvents, type StreamEvent } from './events.ts';
export {
  type CodeFrame,
  type CodePlace,
  codeFrameSchema,
  codePlaceSchema,
  type Failure,
  failureKindSchema,
  failureSchema,
  type Reason,
  reasonSchema,
  thrownErrorSchema,
} from './failures.ts';
export { type FilesReading, filesSchema } from './files.ts';
export { defaultScopes, defaultTenant, keyDraft, keyParameters, scopesProblem } from './keys.ts';
export { type NearLimit, type Overview, overviewSchema } from './overview.ts';
export { pageOf } from './page.ts';
export { type ScheduleReading, scheduleReadingSchema } from './schedules.ts';
export { readSearch, type SearchTerm, searchTerms, type TaskSearch } from './search.ts';
export {
  type Answer,
  answerSchema,
  eventSchema,
  givenEventSchema,
  type Rerun,
  rerunSchema,
  type StartedTask,
  startedTaskSchema,
  type TaskDetail,
  type TaskPage,
  type TaskQuery,
  type TaskRow,
  taskDetailSchema,
  taskPageSchema,
  taskQuerySchema,
  taskRecordSchema,
  taskRowSchema,
} from './tasks.ts';
export { type TenantExportProgress, tenantExportSchema } from './tenants.ts';
export {
  type Delivery,
  deliveryFailureSchema,
  deliverySchema,
  previewSchema,
  type Subscriber,
  subscriberSchema,
  type Timeline,
  type TimelineEntry,
  timelineEntrySchema,
  timelineSchema,
} from './timeline.ts';
export {
  spentText,
  type TaskBudget,
  type TaskUsage,
  taskBudgetSchema,
  taskUsageSchema,
  type Usage,
  type UsageRow,
  usageGroups,
  usageSchema,
} from './usage.ts';
