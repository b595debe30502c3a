export { type Agent, type AgentDefinition, defineAgent, type Execute, isAgent } from './agent.ts';
export type { AgentCardDraft } from './agent-card.ts';
export type { ArtifactOptions, ArtifactWriter } from './artifact-writer.ts';
export { CallError, type CallFailure } from './calls/call-error.ts';
export type {
  Caller,
  CallOutcome,
  CallPort,
  CallRefusal,
  OutgoingCall,
  PlacedCall,
  Placing,
} from './calls/call-port.ts';
export { type CallReply, isDone, type MessageReply, type TaskReply } from './calls/call-reply.ts';
export type { CallOptions } from './calls/outgoing-call.ts';
export type { WaitingCall } from './calls/waiting-call.ts';
export { type Content, type MessageContent, type PartContent, textOf } from './content.ts';
export type { ContextMemory, Remembered } from './context/context-memory.ts';
export type { ContextOptions, ContextPort, ContextTask, StoredState } from './context/context-port.ts';
export {
  type ConversationEnd,
  type ConversationEvent,
  type ConversationFailure,
  type ConversationPlace,
  type ConversationTurn,
  conversationOf,
  conversationsExtension,
  conversationsUri,
  REPLY_SKIP,
} from './conversations/conversation-event.ts';
export type { ConversationPort, NewConversation } from './conversations/conversation-port.ts';
export type { Conversed, ConverseOptions, Heard } from './conversations/converse-options.ts';
export { derivedId } from './derived-id.ts';
export { IdleTimeout } from './idle-timeout.ts';
export type { Outcome, TurnResult } from './outcome.ts';
export type { RetryPolicy } from './retry-policy.ts';
export { type RunTurnOptions, runTurn } from './run-turn.ts';
export type { StepBeginning, StepPort, StepStamp } from './steps/step-port.ts';
export { type StatusOptions, Turn } from './turn.ts';
export { AgentError, RetryableError, type RetryOptions, TurnEnded, TurnMisuseError } from './turn-errors.ts';
export { type InterruptionKind, TurnInterruption } from './turn-interruption.ts';
export type { ArtifactEvent, Principal, StatusEvent, TurnEvent, TurnPort } from './turn-port.ts';
export { failTurnOfRejection } from './turn-scope.ts';
