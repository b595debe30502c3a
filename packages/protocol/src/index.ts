export { A2AError, type A2AErrorDetails, type FieldViolation } from './errors/a2a-error.ts';
export { type A2AErrorCode, a2aErrorCodes } from './errors/codes.ts';
export { type ErrorDetail, errorDetails, errorDomain, errorReasons } from './errors/error-info.ts';
export { type GrpcStatus, type GrpcStatusName, grpcStatuses } from './errors/grpc.ts';
export { type HttpErrorBody, httpStatuses, toHttpError } from './errors/http.ts';
export { invalidParams } from './errors/invalid-params.ts';
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
export { type Artifact, artifactSchema } from './objects/artifact.ts';
export { idSchema, type Metadata, metadataSchema, timestampSchema } from './objects/fields.ts';
export { type Message, messageSchema, type Role, roleSchema } from './objects/message.ts';
export {
  type AuthorizationCodeOAuthFlow,
  authorizationCodeOAuthFlowSchema,
  type ClientCredentialsOAuthFlow,
  clientCredentialsOAuthFlowSchema,
  type DeviceCodeOAuthFlow,
  deviceCodeOAuthFlowSchema,
  type ImplicitOAuthFlow,
  implicitOAuthFlowSchema,
  type OAuthFlows,
  oauthFlowsSchema,
  type PasswordOAuthFlow,
  passwordOAuthFlowSchema,
} from './objects/oauth-flows.ts';
export { type Part, partSchema } from './objects/part.ts';
export {
  type AuthenticationInfo,
  authenticationInfoSchema,
  type TaskPushNotificationConfig,
  taskPushNotificationConfigSchema,
} from './objects/push-notification-config.ts';
export {
  type APIKeySecurityScheme,
  apiKeySecuritySchemeSchema,
  type HTTPAuthSecurityScheme,
  httpAuthSecuritySchemeSchema,
  type MutualTlsSecurityScheme,
  mutualTlsSecuritySchemeSchema,
  type OAuth2SecurityScheme,
  type OpenIdConnectSecurityScheme,
  oauth2SecuritySchemeSchema,
  openIdConnectSecuritySchemeSchema,
  type SecurityRequirement,
  type SecurityScheme,
  securityRequirementSchema,
  securitySchemeSchema,
} from './objects/security-schemes.ts';
export {
  type StreamResponse,
  streamResponseSchema,
  type TaskArtifactUpdateEvent,
  type TaskStatusUpdateEvent,
  taskArtifactUpdateEventSchema,
  taskStatusUpdateEventSchema,
} from './objects/stream-response.ts';
export { type Task, type TaskStatus, taskSchema, taskStatusSchema } from './objects/task.ts';
export { type TaskState, taskStateSchema, taskStates } from './objects/task-state.ts';
export { parse } from './parse.ts';
export { type CancelTaskRequest, cancelTaskRequestSchema } from './requests/cancel-task.ts';
export {
  type GetExtendedAgentCardRequest,
  getExtendedAgentCardRequestSchema,
} from './requests/get-extended-agent-card.ts';
export { type GetTaskRequest, getTaskRequestSchema } from './requests/get-task.ts';
export {
  type ListTasksRequest,
  type ListTasksResponse,
  listTasksRequestSchema,
  listTasksResponseSchema,
} from './requests/list-tasks.ts';
export {
  type CreateTaskPushNotificationConfigRequest,
  createTaskPushNotificationConfigRequestSchema,
  type DeleteTaskPushNotificationConfigRequest,
  deleteTaskPushNotificationConfigRequestSchema,
  type GetTaskPushNotificationConfigRequest,
  getTaskPushNotificationConfigRequestSchema,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  listTaskPushNotificationConfigsRequestSchema,
  listTaskPushNotificationConfigsResponseSchema,
} from './requests/push-notification-configs.ts';
export {
  type SendMessageConfiguration,
  type SendMessageRequest,
  type SendMessageResponse,
  sendMessageConfigurationSchema,
  sendMessageRequestSchema,
  sendMessageResponseSchema,
} from './requests/send-message.ts';
export { type SubscribeToTaskRequest, subscribeToTaskRequestSchema } from './requests/subscribe-to-task.ts';
export { canFollow, isInterrupted, isTerminal } from './states.ts';
