export type { QueueSum } from './agent-load.ts';
export type { TenantShare } from './agent-queues.ts';
export type { AgentReading } from './agents.ts';
export type { AnswerResult } from './answer.ts';
export type { Archiver, CopiedBatch } from './archiver.ts';
export { type DeadLetter, type DeadLetterKind, DeadLetters } from './dead-letters.ts';
export type { Diagnosis } from './finding.ts';
export { isNear, type NearLimit } from './limits.ts';
export { LogLevels } from './log-levels.ts';
export type { OperatorTasks } from './operator-tasks.ts';
export { Ops } from './ops.ts';
export type { RerunResult } from './rerun.ts';
export {
  type FoundTask,
  type TaskFilter,
  type TaskSearch,
  type TaskSearchPage,
  TextSearchRefused,
} from './task-search.ts';
export type { ExportProgress, TenantExportQuery } from './tenant-export.ts';
export type { TenantDeletion } from './tenants.ts';
export type {
  DrainRequest,
  ProcessId,
  RemoteProblem,
  ReportedTurn,
  WorkerFigures,
  WorkerReading,
} from './worker-report.ts';
export { reportEveryMs, Workers } from './workers.ts';
