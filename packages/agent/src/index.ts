export {
  type ArtifactEvent,
  type CallingAgent,
  conversationsUri,
  type Principal,
  type StatusEvent,
  type TurnEvent,
  type WhileWorking,
} from '@switchyard/protocol';
export { CallError, type CallFailure } from './calls/call-error.ts';
export { type CallReply, isDone, type MessageReply, type Reply, type TaskReply } from './calls/call-reply.ts';
export type { CallOptions } from './calls/outgoing-call.ts';
export type { WaitingCall } from './calls/waiting-call.ts';
export type { ContextMemory, Remembered } from './context/context-memory.ts';
export type { ConversationOptions, ConversationResult, PeerMessage } from './conversations/conversation-options.ts';
export type { DataSchema } from './data/data-schema.ts';
export { type Agent, type AgentDefinition, defineAgent, type Execute } from './definition/agent.ts';
export type { AgentCardDraft } from './definition/agent-card.ts';
export type { AgentLimits } from './definition/limits.ts';
export type { Middleware, TurnFailure } from './definition/middleware.ts';
export type { FileSource } from './files/turn-files.ts';
export { checkBudget, noteModelCall } from './journal/note-model-call.ts';
export { waitForRoom } from './journal/wait-for-room.ts';
export { type Content, type MessageContent, type PartContent, textOf } from './messages/content.ts';
export { derivedId } from './messages/derived-id.ts';
export type { Room } from './pace/turn-pace.ts';
export { type Budget, BudgetSpent } from './port/budget.ts';
export type { OtherTask, OtherTasksOptions } from './port/context-port.ts';
export {
  type ConversationEnd,
  type ConversationEvent,
  type ConversationFailure,
  type ConversationPosition,
  type ConversationTurn,
  conversationOf,
  conversationsExtension,
  endOfConversation,
} from './port/conversation-event.ts';
export type { FileContent, FileOptions } from './port/file-port.ts';
export type { LogFields, LogLevel } from './port/log-line.ts';
export type { CountedUsage, ModelCall, Usage } from './port/model-call.ts';
export type { Outcome } from './port/outcome.ts';
export type { RoomRequest } from './port/pace-port.ts';
export { AgentError, RetryableError, type RetryOptions, TurnEnded, TurnMisuseError } from './port/turn-errors.ts';
export { type InterruptionKind, TurnInterruption } from './port/turn-interruption.ts';
export type { RetryPolicy } from './retries/retry-policy.ts';
export type { Steering } from './steering/steering.ts';
export { type StepAttempt, type StepOptions, StepTimedOut } from './steps/step-options.ts';
export type { StepFunction } from './steps/turn-steps.ts';
export { IdleTimeout, timesOf } from './timeouts/timeouts.ts';
export type { ArtifactOptions, ArtifactWriter } from './turn/artifact-writer.ts';
export { type StatusOptions, Turn } from './turn/turn.ts';
export type { TurnLog } from './turn/turn-log.ts';
export type { Duration } from './waits/duration.ts';
export { EventError, type EventFailure } from './waits/event-error.ts';
export type { SleepOptions, WaitOptions } from './waits/turn-waits.ts';
