import {
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
  stringListSchema,
} from '../../src/schemas/security.ts';
import { type ObjectDefinition, oneOf, optional, required, requiredOrEmpty } from './field.ts';

/** §4.5: how to authenticate to an agent. */
export const securityObjects = {
  APIKeySecurityScheme: {
    section: '4.5.2',
    schema: apiKeySecuritySchemeSchema,
    fields: {
      description: optional('string'),
      location: required('location'),
      name: required('string'),
    },
  },
  HTTPAuthSecurityScheme: {
    section: '4.5.3',
    schema: httpAuthSecuritySchemeSchema,
    fields: {
      description: optional('string'),
      scheme: required('string'),
      bearerFormat: optional('string'),
    },
  },
  OAuth2SecurityScheme: {
    section: '4.5.4',
    schema: oauth2SecuritySchemeSchema,
    fields: {
      description: optional('string'),
      flows: required('OAuthFlows'),
      oauth2MetadataUrl: optional('string'),
    },
  },
  OpenIdConnectSecurityScheme: {
    section: '4.5.5',
    schema: openIdConnectSecuritySchemeSchema,
    fields: {
      description: optional('string'),
      openIdConnectUrl: required('string'),
    },
  },
  MutualTlsSecurityScheme: {
    section: '4.5.6',
    schema: mutualTlsSecuritySchemeSchema,
    fields: {
      description: optional('string'),
    },
  },
  SecurityScheme: {
    section: '4.5.1',
    schema: securitySchemeSchema,
    fields: {
      apiKeySecurityScheme: oneOf('APIKeySecurityScheme'),
      httpAuthSecurityScheme: oneOf('HTTPAuthSecurityScheme'),
      oauth2SecurityScheme: oneOf('OAuth2SecurityScheme'),
      openIdConnectSecurityScheme: oneOf('OpenIdConnectSecurityScheme'),
      mtlsSecurityScheme: oneOf('MutualTlsSecurityScheme'),
    },
  },
  AuthorizationCodeOAuthFlow: {
    section: '4.5.8',
    schema: authorizationCodeOAuthFlowSchema,
    fields: {
      authorizationUrl: required('string'),
      tokenUrl: required('string'),
      refreshUrl: optional('string'),
      scopes: requiredOrEmpty('map<string, string>'),
      pkceRequired: optional('bool'),
    },
  },
  ClientCredentialsOAuthFlow: {
    section: '4.5.9',
    schema: clientCredentialsOAuthFlowSchema,
    fields: {
      tokenUrl: required('string'),
      refreshUrl: optional('string'),
      scopes: requiredOrEmpty('map<string, string>'),
    },
  },
  DeviceCodeOAuthFlow: {
    section: '4.5.10',
    schema: deviceCodeOAuthFlowSchema,
    fields: {
      deviceAuthorizationUrl: required('string'),
      tokenUrl: required('string'),
      refreshUrl: optional('string'),
      scopes: requiredOrEmpty('map<string, string>'),
    },
  },
  ImplicitOAuthFlow: {
    section: '4.5.7',
    schema: implicitOAuthFlowSchema,
    fields: {
      authorizationUrl: optional('string'),
      refreshUrl: optional('string'),
      scopes: optional('map<string, string>'),
    },
  },
  PasswordOAuthFlow: {
    section: '4.5.7',
    schema: passwordOAuthFlowSchema,
    fields: {
      tokenUrl: optional('string'),
      refreshUrl: optional('string'),
      scopes: optional('map<string, string>'),
    },
  },
  OAuthFlows: {
    section: '4.5.7',
    schema: oauthFlowsSchema,
    fields: {
      authorizationCode: oneOf('AuthorizationCodeOAuthFlow'),
      clientCredentials: oneOf('ClientCredentialsOAuthFlow'),
      implicit: oneOf('ImplicitOAuthFlow'),
      password: oneOf('PasswordOAuthFlow'),
      deviceCode: oneOf('DeviceCodeOAuthFlow'),
    },
  },
  StringList: {
    section: '4.4.1',
    schema: stringListSchema,
    fields: {
      list: requiredOrEmpty('string[]'),
    },
  },
  SecurityRequirement: {
    section: '4.4.1',
    schema: securityRequirementSchema,
    fields: {
      schemes: requiredOrEmpty('map<string, StringList>'),
    },
  },
} satisfies Record<string, ObjectDefinition>;
