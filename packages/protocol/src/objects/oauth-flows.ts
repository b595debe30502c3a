import { z } from 'zod';
import { requiredShortTextSchema, shortTextSchema, stringMapSchema } from './fields.ts';
import { oneOf } from './one-of.ts';

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
