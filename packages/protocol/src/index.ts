export { cardUrlsOf } from './card-urls.ts';
export { A2AError, type A2AErrorDetails, type FieldViolation, invalidParams, wrongFields } from './errors/a2a-error.ts';
export { type A2AErrorCode, a2aErrorCodes } from './errors/codes.ts';
export { type ErrorDetail, errorDetails, errorDomain, errorReasons } from './errors/error-info.ts';
export { eventNotAwaited, eventWithoutTurn } from './errors/event-errors.ts';
export { type GrpcStatus, type GrpcStatusName, grpcStatuses } from './errors/grpc.ts';
export { type HttpErrorBody, httpStatuses, toHttpError } from './errors/http.ts';
export { type JsonRpcError, jsonRpcCodes, toJsonRpcError } from './errors/json-rpc.ts';
export {
  cascadingCancelUri,
  conversationsUri,
  eventIdIn,
  filesUri,
  inputUri,
  isEventName,
  isReservedMetadata,
  longestTimeToLiveMs,
  type Priority,
  priorities,
  priorityUri,
  requireEventName,
  rerunUri,
  resumableStreamsUri,
  scheduleUri,
  skillUri,
  steeringUri,
  suspendedUri,
  timeToLiveUri,
  traceContextUri,
  usageUri,
  waitingUri,
} from './extensions.ts';
export {
  type CodeFrame,
  type CodePlace,
  type FailureKind,
  type FailureReport,
  failureKinds,
  type ThrownError,
  type TurnFault,
} from './failure.ts';
export { shortFileName, unusedFileName, withContent, withContents } from './files.ts';
export { type ArtifactHeader, type FoldOptions, fold, mergeHeader, openingOfText } from './fold.ts';
export { inputExample, inputIsMissing, inputPart, type JsonSchema } from './input.ts';
export { acceptedTypes, mediaRangesMeet, requireMediaTypes } from './media-types.ts';
export type {
  AgentCapabilities,
  AgentCard,
  AgentCardSignature,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
} from './objects/agent-card.ts';
export type { Metadata, OneOf } from './objects/json.ts';
export type { AuthenticationInfo, TaskPushNotificationConfig } from './objects/push-notification-config.ts';
export type {
  APIKeySecurityScheme,
  AuthorizationCodeOAuthFlow,
  ClientCredentialsOAuthFlow,
  DeviceCodeOAuthFlow,
  HTTPAuthSecurityScheme,
  ImplicitOAuthFlow,
  MutualTlsSecurityScheme,
  OAuth2SecurityScheme,
  OAuthFlows,
  OpenIdConnectSecurityScheme,
  PasswordOAuthFlow,
  SecurityRequirement,
  SecurityScheme,
} from './objects/security.ts';
export { canFollow, isInterrupted, isTerminal, type TaskState, taskStates } from './objects/states.ts';
export type { StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent } from './objects/stream-response.ts';
export type { Artifact, Message, Part, Role, Task, TaskStatus } from './objects/task.ts';
export type {
  CancelTaskRequest,
  CreateTaskPushNotificationConfigRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  SubscribeToTaskRequest,
} from './requests.ts';
export type {
  ArtifactEvent,
  CallingAgent,
  MessageTrace,
  Principal,
  StatusEvent,
  StepStamp,
  TraceContext,
  TurnEvent,
  TurnInput,
  WhileWorking,
} from './turn.ts';
export { type TaskUsage, type UsageAmounts, usageAmounts, usdText } from './usage.ts';
export { withoutNulls } from './without-nulls.ts';
