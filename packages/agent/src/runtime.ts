/**
 * Runs agents: for workers, executors, and tests of executors. Authors of agents need only `@switchyard/agent`.
 * @module
 */

export type { TurnInput } from '@switchyard/protocol';
export { checkSettings, type SettingCheck, settingCheck } from './checks/setting-checks.ts';
export { isAgent } from './definition/agent.ts';
export { showWait } from './journal/show-wait.ts';
export { failTurnOf, runningTurn, type ScopeOwner } from './journal/turn-scope.ts';
export type { BudgetAnswer, BudgetNotice } from './port/budget.ts';
export type { CallOutcome, CallPlacement, CallPort, CallRefusal, OutgoingCall, PlacedCall } from './port/call-port.ts';
export type { ContextPort, StoredState } from './port/context-port.ts';
export type { ConversationPort, NewConversation } from './port/conversation-port.ts';
export type { FileAtUrl, FilePort } from './port/file-port.ts';
export type { LogLine } from './port/log-line.ts';
export type { LongWait } from './port/long-wait.ts';
export { type CountedUsage, isCharged, type ModelCall } from './port/model-call.ts';
export type { TurnResult } from './port/outcome.ts';
export type { PacePort, RoomCorrection, RoomReply } from './port/pace-port.ts';
export type { SteeringPort } from './port/steering-port.ts';
export type { StepBeginning, StepPort, StepRun } from './port/step-port.ts';
export { RefusedError, UnavailableError } from './port/turn-errors.ts';
export type { TurnPort } from './port/turn-port.ts';
export {
  type PendingWait,
  readableWait,
  type WaitBeginning,
  type WaitPort,
  type WaitRequest,
} from './port/wait-port.ts';
export { type Backoff, backoffDelayMs, retryDelayMs } from './retries/retry-policy.ts';
export { continuedWork } from './run/budget-question.ts';
export { type ExecuteTurnOptions, executeTurn } from './run/execute-turn.ts';
export { faultOf } from './run/fault.ts';
