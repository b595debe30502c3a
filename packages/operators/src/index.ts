export type { QueueSum } from './agent-load.ts';
export type { TenantShare } from './agent-queues.ts';
export type { AgentReading, Agents } from './agents.ts';
export type { AnswerResult, TaskAnswer } from './answer.ts';
export type { ArchiveCheck, ArchiveProblem, CheckProgress } from './archive-check.ts';
export type { ArchiveReading, Archiver, CopiedBatch } from './archiver.ts';
export type { RetryResult } from './dead-letter.ts';
export { type DeadLetter, type DeadLetterKind, DeadLetters } from './dead-letters.ts';
export type { DeadTurn } from './dead-turns.ts';
export type { DeadWebhook } from './dead-webhooks.ts';
export type { Diagnosis } from './finding.ts';
export type { InterruptedTask } from './interrupted-tasks.ts';
export { isNear, type KeptTasks, type NearLimit } from './limits.ts';
export { LogLevels } from './log-levels.ts';
export type { OperatorTasks, TaskDetail } from './operator-tasks.ts';
export { Ops } from './ops.ts';
export type { RerunRequest, RerunResult } from './rerun.ts';
export type { RunningTurn } from './running-turns.ts';
export type { StuckReason, StuckTask } from './stuck-tasks.ts';
export type { TaskRecord } from './task-record.ts';
export {
  type FoundTask,
  type TaskFilter,
  type TaskSearch,
  type TaskSearchPage,
  TextSearchRefused,
} from './task-search.ts';
export type { ExportProgress, TenantExportQuery } from './tenant-export.ts';
export type { MemoryName, TenantDeletion, TenantReading, Tenants } from './tenants.ts';
export type {
  DrainRequest,
  ProcessId,
  ReportedTurn,
  WorkerFigures,
  WorkerReading,
  WorkerReport,
  WorkerState,
} from './worker-report.ts';
export { reportEveryMs, Workers } from './workers.ts';
