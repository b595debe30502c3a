export { A2AError, type A2AErrorDetails, type FieldViolation, invalidParams } from './errors/a2a-error.ts';
export { type A2AErrorCode, a2aErrorCodes } from './errors/codes.ts';
export { type ErrorDetail, errorDetails, errorDomain, errorReasons } from './errors/error-info.ts';
export { type GrpcStatus, type GrpcStatusName, grpcStatuses } from './errors/grpc.ts';
export { type HttpErrorBody, httpStatuses, toHttpError } from './errors/http.ts';
export { type JsonRpcError, jsonRpcCodes, toJsonRpcError } from './errors/json-rpc.ts';
export { type ArtifactHeader, type FoldOptions, fold, mergeHeader, openingOfText } from './fold.ts';
export { mediaRangesMeet } from './media-range.ts';
export {
  type AgentCapabilities,
  type AgentCard,
  type AgentCardSignature,
  type AgentExtension,
  type AgentInterface,
  type AgentProvider,
  type AgentSkill,
  agentCapabilitiesSchema,
  agentCardSchema,
  agentCardSignatureSchema,
  agentExtensionSchema,
  agentInterfaceSchema,
  agentProviderSchema,
  agentSkillSchema,
} from './objects/agent-card.ts';
export { idSchema, type Metadata, metadataSchema, timestampSchema } from './objects/fields.ts';
export {
  type AuthenticationInfo,
  authenticationInfoSchema,
  type TaskPushNotificationConfig,
  taskPushNotificationConfigSchema,
} from './objects/push-notification-config.ts';
export {
  type APIKeySecurityScheme,
  type AuthorizationCodeOAuthFlow,
  apiKeySecuritySchemeSchema,
  authorizationCodeOAuthFlowSchema,
  type ClientCredentialsOAuthFlow,
  clientCredentialsOAuthFlowSchema,
  type DeviceCodeOAuthFlow,
  deviceCodeOAuthFlowSchema,
  type HTTPAuthSecurityScheme,
  httpAuthSecuritySchemeSchema,
  type ImplicitOAuthFlow,
  implicitOAuthFlowSchema,
  type MutualTlsSecurityScheme,
  mutualTlsSecuritySchemeSchema,
  type OAuth2SecurityScheme,
  type OAuthFlows,
  type OpenIdConnectSecurityScheme,
  oauth2SecuritySchemeSchema,
  oauthFlowsSchema,
  openIdConnectSecuritySchemeSchema,
  type PasswordOAuthFlow,
  passwordOAuthFlowSchema,
  type SecurityRequirement,
  type SecurityScheme,
  securityRequirementSchema,
  securitySchemeSchema,
} from './objects/security.ts';
export { canFollow, isInterrupted, isTerminal, type TaskState, taskStateSchema, taskStates } from './objects/states.ts';
export {
  type StreamResponse,
  streamResponseSchema,
  type TaskArtifactUpdateEvent,
  type TaskStatusUpdateEvent,
  taskArtifactUpdateEventSchema,
  taskStatusUpdateEventSchema,
} from './objects/stream-response.ts';
export {
  type Artifact,
  artifactSchema,
  type Message,
  messageSchema,
  type Part,
  partSchema,
  type Role,
  roleSchema,
  type Task,
  type TaskStatus,
  taskSchema,
  taskStatusSchema,
} from './objects/task.ts';
export { parse } from './parse.ts';
export {
  type CancelTaskRequest,
  type CreateTaskPushNotificationConfigRequest,
  cancelTaskRequestSchema,
  createTaskPushNotificationConfigRequestSchema,
  type DeleteTaskPushNotificationConfigRequest,
  deleteTaskPushNotificationConfigRequestSchema,
  type GetExtendedAgentCardRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  getExtendedAgentCardRequestSchema,
  getTaskPushNotificationConfigRequestSchema,
  getTaskRequestSchema,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  type ListTasksResponse,
  listTaskPushNotificationConfigsRequestSchema,
  listTaskPushNotificationConfigsResponseSchema,
  listTasksRequestSchema,
  listTasksResponseSchema,
  type SendMessageConfiguration,
  type SendMessageRequest,
  type SendMessageResponse,
  type SubscribeToTaskRequest,
  sendMessageConfigurationSchema,
  sendMessageRequestSchema,
  sendMessageResponseSchema,
  subscribeToTaskRequestSchema,
} from './requests.ts';
export { conversationsUri, isReservedMetadata } from './reserved-metadata.ts';
export type {
  ArtifactEvent,
  CallingAgent,
  MessageTrace,
  Principal,
  StatusEvent,
  StepStamp,
  TurnEvent,
  TurnInput,
} from './turn.ts';
