import { z } from 'zod';
import { listOf, metadataSchema, requiredShortTextSchema, shortTextSchema, shortTextsSchema } from './fields.ts';
import { securityRequirementSchema, securitySchemeSchema } from './security.ts';

/** §4.4.6: a URL, its binding and version. */
export const agentInterfaceSchema = z.object({
  url: requiredShortTextSchema,
  protocolBinding: requiredShortTextSchema,
  tenant: shortTextSchema.exactOptional(),
  protocolVersion: requiredShortTextSchema,
});

/** §4.4.2. */
export const agentProviderSchema = z.object({ url: requiredShortTextSchema, organization: requiredShortTextSchema });

/** §4.4.4. */
export const agentExtensionSchema = z.object({
  uri: shortTextSchema.exactOptional(),
  description: z.string().exactOptional(),
  required: z.boolean().exactOptional(),
  params: metadataSchema.exactOptional(),
});

/** §4.4.3. */
export const agentCapabilitiesSchema = z.object({
  streaming: z.boolean().exactOptional(),
  pushNotifications: z.boolean().exactOptional(),
  extensions: listOf(agentExtensionSchema).exactOptional(),
  extendedAgentCard: z.boolean().exactOptional(),
});

/** §4.4.5. */
export const agentSkillSchema = z.object({
  id: requiredShortTextSchema,
  name: requiredShortTextSchema,
  description: z.string().min(1),
  tags: shortTextsSchema.default([]),
  examples: shortTextsSchema.exactOptional(),
  inputModes: shortTextsSchema.exactOptional(),
  outputModes: shortTextsSchema.exactOptional(),
  securityRequirements: listOf(securityRequirementSchema).exactOptional(),
});

/** §4.4.7: a JWS over the card. */
export const agentCardSignatureSchema = z.object({
  protected: z.string().min(1),
  signature: z.string().min(1),
  header: metadataSchema.exactOptional(),
});

/** §4.4.1. Required lists may be empty: ProtoJSON leaves an empty list out. */
export const agentCardSchema = z.object({
  name: requiredShortTextSchema,
  description: z.string().min(1),
  supportedInterfaces: listOf(agentInterfaceSchema).default([]),
  provider: agentProviderSchema.exactOptional(),
  version: requiredShortTextSchema,
  documentationUrl: shortTextSchema.exactOptional(),
  capabilities: agentCapabilitiesSchema,
  securitySchemes: z.record(z.string(), securitySchemeSchema).exactOptional(),
  securityRequirements: listOf(securityRequirementSchema).exactOptional(),
  defaultInputModes: shortTextsSchema.default([]),
  defaultOutputModes: shortTextsSchema.default([]),
  skills: listOf(agentSkillSchema).default([]),
  signatures: listOf(agentCardSignatureSchema).exactOptional(),
  iconUrl: shortTextSchema.exactOptional(),
});
