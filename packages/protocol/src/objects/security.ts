import { z } from 'zod';
import { oneOf, requiredShortTextSchema, shortTextSchema, shortTextsSchema, stringMapSchema } from './fields.ts';

/** §4.5.8. */
export const authorizationCodeOAuthFlowSchema = z.object({
  authorizationUrl: requiredShortTextSchema,
  tokenUrl: requiredShortTextSchema,
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.default({}),
  pkceRequired: z.boolean().exactOptional(),
});
export type AuthorizationCodeOAuthFlow = z.infer<typeof authorizationCodeOAuthFlowSchema>;

/** §4.5.9. */
export const clientCredentialsOAuthFlowSchema = z.object({
  tokenUrl: requiredShortTextSchema,
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.default({}),
});
export type ClientCredentialsOAuthFlow = z.infer<typeof clientCredentialsOAuthFlowSchema>;

/** §4.5.10. */
export const deviceCodeOAuthFlowSchema = z.object({
  deviceAuthorizationUrl: requiredShortTextSchema,
  tokenUrl: requiredShortTextSchema,
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.default({}),
});
export type DeviceCodeOAuthFlow = z.infer<typeof deviceCodeOAuthFlowSchema>;

/** Deprecated by the specification in favour of the authorization code flow with PKCE. */
export const implicitOAuthFlowSchema = z.object({
  authorizationUrl: shortTextSchema.exactOptional(),
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.exactOptional(),
});
export type ImplicitOAuthFlow = z.infer<typeof implicitOAuthFlowSchema>;

/** Deprecated by the specification in favour of the authorization code flow with PKCE, or the device code flow. */
export const passwordOAuthFlowSchema = z.object({
  tokenUrl: shortTextSchema.exactOptional(),
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.exactOptional(),
});
export type PasswordOAuthFlow = z.infer<typeof passwordOAuthFlowSchema>;

/** §4.5.7. */
export const oauthFlowsSchema = oneOf({
  authorizationCode: authorizationCodeOAuthFlowSchema,
  clientCredentials: clientCredentialsOAuthFlowSchema,
  implicit: implicitOAuthFlowSchema,
  password: passwordOAuthFlowSchema,
  deviceCode: deviceCodeOAuthFlowSchema,
});
export type OAuthFlows = z.infer<typeof oauthFlowsSchema>;

/** §4.5.2. */
export const apiKeySecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  location: z.literal(['query', 'header', 'cookie']),
  name: requiredShortTextSchema,
});
export type APIKeySecurityScheme = z.infer<typeof apiKeySecuritySchemeSchema>;

/** §4.5.3. */
export const httpAuthSecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  scheme: requiredShortTextSchema,
  bearerFormat: shortTextSchema.exactOptional(),
});
export type HTTPAuthSecurityScheme = z.infer<typeof httpAuthSecuritySchemeSchema>;

/** §4.5.4. */
export const oauth2SecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  flows: oauthFlowsSchema,
  oauth2MetadataUrl: shortTextSchema.exactOptional(),
});
export type OAuth2SecurityScheme = z.infer<typeof oauth2SecuritySchemeSchema>;

/** §4.5.5. */
export const openIdConnectSecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  openIdConnectUrl: requiredShortTextSchema,
});
export type OpenIdConnectSecurityScheme = z.infer<typeof openIdConnectSecuritySchemeSchema>;

/** §4.5.6. */
export const mutualTlsSecuritySchemeSchema = z.object({ description: z.string().exactOptional() });
export type MutualTlsSecurityScheme = z.infer<typeof mutualTlsSecuritySchemeSchema>;

/** §4.5.1. */
export const securitySchemeSchema = oneOf({
  apiKeySecurityScheme: apiKeySecuritySchemeSchema,
  httpAuthSecurityScheme: httpAuthSecuritySchemeSchema,
  oauth2SecurityScheme: oauth2SecuritySchemeSchema,
  openIdConnectSecurityScheme: openIdConnectSecuritySchemeSchema,
  mtlsSecurityScheme: mutualTlsSecuritySchemeSchema,
});
export type SecurityScheme = z.infer<typeof securitySchemeSchema>;

/** A list as the value of a map, which protobuf cannot have otherwise. */
export const stringListSchema = z.object({ list: shortTextsSchema.default([]) });

/** Scheme names to the scopes each needs: all of them together let a caller in. */
export const securityRequirementSchema = z.object({
  schemes: z.record(z.string(), stringListSchema).default({}),
});
export type SecurityRequirement = z.infer<typeof securityRequirementSchema>;
