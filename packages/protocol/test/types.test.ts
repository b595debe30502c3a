import { expectTypeOf, it } from 'vitest';
import type { z } from 'zod';
import type * as a2a from '../src/index.ts';
import type * as schemas from '../src/schemas/index.ts';

type Read<Name extends keyof typeof schemas> = (typeof schemas)[Name] extends z.ZodType<infer Value> ? Value : never;

it('every schema returns exactly its public type (checked by the compiler)', () => {
  expectTypeOf<Read<'agentCapabilitiesSchema'>>().toEqualTypeOf<a2a.AgentCapabilities>();
  expectTypeOf<Read<'agentCardSchema'>>().toEqualTypeOf<a2a.AgentCard>();
  expectTypeOf<Read<'agentCardSignatureSchema'>>().toEqualTypeOf<a2a.AgentCardSignature>();
  expectTypeOf<Read<'agentExtensionSchema'>>().toEqualTypeOf<a2a.AgentExtension>();
  expectTypeOf<Read<'agentInterfaceSchema'>>().toEqualTypeOf<a2a.AgentInterface>();
  expectTypeOf<Read<'agentProviderSchema'>>().toEqualTypeOf<a2a.AgentProvider>();
  expectTypeOf<Read<'agentSkillSchema'>>().toEqualTypeOf<a2a.AgentSkill>();
  expectTypeOf<Read<'metadataSchema'>>().toEqualTypeOf<a2a.Metadata>();
  expectTypeOf<Read<'authenticationInfoSchema'>>().toEqualTypeOf<a2a.AuthenticationInfo>();
  expectTypeOf<Read<'taskPushNotificationConfigSchema'>>().toEqualTypeOf<a2a.TaskPushNotificationConfig>();
  expectTypeOf<Read<'cancelTaskRequestSchema'>>().toEqualTypeOf<a2a.CancelTaskRequest>();
  expectTypeOf<
    Read<'createTaskPushNotificationConfigRequestSchema'>
  >().toEqualTypeOf<a2a.CreateTaskPushNotificationConfigRequest>();
  expectTypeOf<
    Read<'deleteTaskPushNotificationConfigRequestSchema'>
  >().toEqualTypeOf<a2a.DeleteTaskPushNotificationConfigRequest>();
  expectTypeOf<Read<'getExtendedAgentCardRequestSchema'>>().toEqualTypeOf<a2a.GetExtendedAgentCardRequest>();
  expectTypeOf<
    Read<'getTaskPushNotificationConfigRequestSchema'>
  >().toEqualTypeOf<a2a.GetTaskPushNotificationConfigRequest>();
  expectTypeOf<Read<'getTaskRequestSchema'>>().toEqualTypeOf<a2a.GetTaskRequest>();
  expectTypeOf<
    Read<'listTaskPushNotificationConfigsRequestSchema'>
  >().toEqualTypeOf<a2a.ListTaskPushNotificationConfigsRequest>();
  expectTypeOf<
    Read<'listTaskPushNotificationConfigsResponseSchema'>
  >().toEqualTypeOf<a2a.ListTaskPushNotificationConfigsResponse>();
  expectTypeOf<Read<'listTasksRequestSchema'>>().toEqualTypeOf<a2a.ListTasksRequest>();
  expectTypeOf<Read<'listTasksResponseSchema'>>().toEqualTypeOf<a2a.ListTasksResponse>();
  expectTypeOf<Read<'sendMessageConfigurationSchema'>>().toEqualTypeOf<a2a.SendMessageConfiguration>();
  expectTypeOf<Read<'sendMessageRequestSchema'>>().toEqualTypeOf<a2a.SendMessageRequest>();
  expectTypeOf<Read<'sendMessageResponseSchema'>>().toEqualTypeOf<a2a.SendMessageResponse>();
  expectTypeOf<Read<'subscribeToTaskRequestSchema'>>().toEqualTypeOf<a2a.SubscribeToTaskRequest>();
  expectTypeOf<Read<'apiKeySecuritySchemeSchema'>>().toEqualTypeOf<a2a.APIKeySecurityScheme>();
  expectTypeOf<Read<'authorizationCodeOAuthFlowSchema'>>().toEqualTypeOf<a2a.AuthorizationCodeOAuthFlow>();
  expectTypeOf<Read<'clientCredentialsOAuthFlowSchema'>>().toEqualTypeOf<a2a.ClientCredentialsOAuthFlow>();
  expectTypeOf<Read<'deviceCodeOAuthFlowSchema'>>().toEqualTypeOf<a2a.DeviceCodeOAuthFlow>();
  expectTypeOf<Read<'httpAuthSecuritySchemeSchema'>>().toEqualTypeOf<a2a.HTTPAuthSecurityScheme>();
  expectTypeOf<Read<'implicitOAuthFlowSchema'>>().toEqualTypeOf<a2a.ImplicitOAuthFlow>();
  expectTypeOf<Read<'mutualTlsSecuritySchemeSchema'>>().toEqualTypeOf<a2a.MutualTlsSecurityScheme>();
  expectTypeOf<Read<'oauth2SecuritySchemeSchema'>>().toEqualTypeOf<a2a.OAuth2SecurityScheme>();
  expectTypeOf<Read<'oauthFlowsSchema'>>().toEqualTypeOf<a2a.OAuthFlows>();
  expectTypeOf<Read<'openIdConnectSecuritySchemeSchema'>>().toEqualTypeOf<a2a.OpenIdConnectSecurityScheme>();
  expectTypeOf<Read<'passwordOAuthFlowSchema'>>().toEqualTypeOf<a2a.PasswordOAuthFlow>();
  expectTypeOf<Read<'securityRequirementSchema'>>().toEqualTypeOf<a2a.SecurityRequirement>();
  expectTypeOf<Read<'securitySchemeSchema'>>().toEqualTypeOf<a2a.SecurityScheme>();
  expectTypeOf<Read<'streamResponseSchema'>>().toEqualTypeOf<a2a.StreamResponse>();
  expectTypeOf<Read<'taskArtifactUpdateEventSchema'>>().toEqualTypeOf<a2a.TaskArtifactUpdateEvent>();
  expectTypeOf<Read<'taskStatusUpdateEventSchema'>>().toEqualTypeOf<a2a.TaskStatusUpdateEvent>();
  expectTypeOf<Read<'artifactSchema'>>().toEqualTypeOf<a2a.Artifact>();
  expectTypeOf<Read<'messageSchema'>>().toEqualTypeOf<a2a.Message>();
  expectTypeOf<Read<'partSchema'>>().toEqualTypeOf<a2a.Part>();
  expectTypeOf<Read<'roleSchema'>>().toEqualTypeOf<a2a.Role>();
  expectTypeOf<Read<'taskSchema'>>().toEqualTypeOf<a2a.Task>();
  expectTypeOf<Read<'taskStateSchema'>>().toEqualTypeOf<a2a.TaskState>();
  expectTypeOf<Read<'taskStatusSchema'>>().toEqualTypeOf<a2a.TaskStatus>();
});
