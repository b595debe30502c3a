import { z } from 'zod';
import type { OAuthFlows, SecurityScheme } from '../objects/security.ts';
import { oneOf, requiredShortTextSchema, shortTextSchema, shortTextsSchema, stringMapSchema } from './fields.ts';

/** §4.5.8. */
export const authorizationCodeOAuthFlowSchema = z.object({
  authorizationUrl: requiredShortTextSchema,
  tokenUrl: requiredShortTextSchema,
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.default({}),
  pkceRequired: z.boolean().exactOptional(),
});

/** §4.5.9. */
export const clientCredentialsOAuthFlowSchema = z.object({
  tokenUrl: requiredShortTextSchema,
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.default({}),
});

/** §4.5.10. */
export const deviceCodeOAuthFlowSchema = z.object({
  deviceAuthorizationUrl: requiredShortTextSchema,
  tokenUrl: requiredShortTextSchema,
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.default({}),
});

/** Deprecated by the specification in favour of the authorization code flow with PKCE. */
export const implicitOAuthFlowSchema = z.object({
  authorizationUrl: shortTextSchema.exactOptional(),
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.exactOptional(),
});

/** Deprecated by the specification in favour of the authorization code flow with PKCE, or the device code flow. */
export const passwordOAuthFlowSchema = z.object({
  tokenUrl: shortTextSchema.exactOptional(),
  refreshUrl: shortTextSchema.exactOptional(),
  scopes: stringMapSchema.exactOptional(),
});

/** §4.5.7. */
export const oauthFlowsSchema: z.ZodType<OAuthFlows> = oneOf({
  authorizationCode: authorizationCodeOAuthFlowSchema,
  clientCredentials: clientCredentialsOAuthFlowSchema,
  implicit: implicitOAuthFlowSchema,
  password: passwordOAuthFlowSchema,
  deviceCode: deviceCodeOAuthFlowSchema,
});

/** §4.5.2. */
export const apiKeySecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  location: z.literal(['query', 'header', 'cookie']),
  name: requiredShortTextSchema,
});

/** §4.5.3. */
export const httpAuthSecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  scheme: requiredShortTextSchema,
  bearerFormat: shortTextSchema.exactOptional(),
});

/** §4.5.4. */
export const oauth2SecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  flows: oauthFlowsSchema,
  oauth2MetadataUrl: shortTextSchema.exactOptional(),
});

/** §4.5.5. */
export const openIdConnectSecuritySchemeSchema = z.object({
  description: z.string().exactOptional(),
  openIdConnectUrl: requiredShortTextSchema,
});

/** §4.5.6. */
export const mutualTlsSecuritySchemeSchema = z.object({ description: z.string().exactOptional() });

/** §4.5.1. */
export const securitySchemeSchema: z.ZodType<SecurityScheme> = oneOf({
  apiKeySecurityScheme: apiKeySecuritySchemeSchema,
  httpAuthSecurityScheme: httpAuthSecuritySchemeSchema,
  oauth2SecurityScheme: oauth2SecuritySchemeSchema,
  openIdConnectSecurityScheme: openIdConnectSecuritySchemeSchema,
  mtlsSecurityScheme: mutualTlsSecuritySchemeSchema,
});

/** A list as the value of a map, which protobuf cannot have otherwise. */
export const stringListSchema = z.object({ list: shortTextsSchema.default([]) });

/** §4.5. */
export const securityRequirementSchema = z.object({
  schemes: z.record(z.string(), stringListSchema).default({}),
});
