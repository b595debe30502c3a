export {
  agentCapabilitiesSchema,
  agentCardSchema,
  agentCardSignatureSchema,
  agentExtensionSchema,
  agentInterfaceSchema,
  agentProviderSchema,
  agentSkillSchema,
} from './agent-card.ts';
export { DataCheck } from './data-check.ts';
export { base64Schema, idSchema, jsonValueSchema, metadataSchema, oneOf, timestampSchema } from './fields.ts';
export { type ForeignCard, readForeignCard } from './foreign-card.ts';
export { context as plainWords, fieldPath, parse } from './parse.ts';
export { authenticationInfoSchema, taskPushNotificationConfigSchema } from './push-notification-config.ts';
export {
  cancelTaskRequestSchema,
  createTaskPushNotificationConfigRequestSchema,
  deleteTaskPushNotificationConfigRequestSchema,
  getExtendedAgentCardRequestSchema,
  getTaskPushNotificationConfigRequestSchema,
  getTaskRequestSchema,
  listTaskPushNotificationConfigsRequestSchema,
  listTaskPushNotificationConfigsResponseSchema,
  listTasksRequestSchema,
  listTasksResponseSchema,
  sendMessageConfigurationSchema,
  sendMessageRequestSchema,
  sendMessageResponseSchema,
  subscribeToTaskRequestSchema,
} from './requests.ts';
export {
  apiKeySecuritySchemeSchema,
  authorizationCodeOAuthFlowSchema,
  clientCredentialsOAuthFlowSchema,
  deviceCodeOAuthFlowSchema,
  httpAuthSecuritySchemeSchema,
  implicitOAuthFlowSchema,
  mutualTlsSecuritySchemeSchema,
  oauth2SecuritySchemeSchema,
  oauthFlowsSchema,
  openIdConnectSecuritySchemeSchema,
  passwordOAuthFlowSchema,
  securityRequirementSchema,
  securitySchemeSchema,
} from './security.ts';
export { streamResponseSchema, taskArtifactUpdateEventSchema, taskStatusUpdateEventSchema } from './stream-response.ts';
export {
  artifactSchema,
  messageSchema,
  partSchema,
  roleSchema,
  taskSchema,
  taskStateSchema,
  taskStatusSchema,
} from './task.ts';
