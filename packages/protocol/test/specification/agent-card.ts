import {
  agentCapabilitiesSchema,
  agentCardSchema,
  agentCardSignatureSchema,
  agentExtensionSchema,
  agentInterfaceSchema,
  agentProviderSchema,
  agentSkillSchema,
} from '../../src/schemas/agent-card.ts';
import { explicit, type ObjectDefinition, optional, required, requiredOrEmpty } from './field.ts';

/** §4.4: agent cards. */
export const cardObjects = {
  AgentInterface: {
    section: '4.4.6',
    schema: agentInterfaceSchema,
    fields: {
      url: required('string'),
      protocolBinding: required('string'),
      tenant: optional('string'),
      protocolVersion: required('string'),
    },
  },
  AgentProvider: {
    section: '4.4.2',
    schema: agentProviderSchema,
    fields: {
      url: required('string'),
      organization: required('string'),
    },
  },
  AgentExtension: {
    section: '4.4.4',
    schema: agentExtensionSchema,
    fields: {
      uri: optional('string'),
      description: optional('string'),
      required: optional('bool'),
      params: optional('Struct'),
    },
  },
  AgentCapabilities: {
    section: '4.4.3',
    schema: agentCapabilitiesSchema,
    fields: {
      streaming: explicit('bool'),
      pushNotifications: explicit('bool'),
      extensions: optional('AgentExtension[]'),
      extendedAgentCard: explicit('bool'),
    },
  },
  AgentSkill: {
    section: '4.4.5',
    schema: agentSkillSchema,
    fields: {
      id: required('string'),
      name: required('string'),
      description: required('string'),
      tags: requiredOrEmpty('string[]'),
      examples: optional('string[]'),
      inputModes: optional('string[]'),
      outputModes: optional('string[]'),
      securityRequirements: optional('SecurityRequirement[]'),
    },
  },
  AgentCardSignature: {
    section: '4.4.7',
    schema: agentCardSignatureSchema,
    fields: {
      protected: required('string'),
      signature: required('string'),
      header: optional('Struct'),
    },
  },
  AgentCard: {
    section: '4.4.1',
    schema: agentCardSchema,
    fields: {
      name: required('string'),
      description: required('string'),
      supportedInterfaces: requiredOrEmpty('AgentInterface[]'),
      provider: optional('AgentProvider'),
      version: required('string'),
      documentationUrl: explicit('string'),
      capabilities: required('AgentCapabilities'),
      securitySchemes: optional('map<string, SecurityScheme>'),
      securityRequirements: optional('SecurityRequirement[]'),
      defaultInputModes: requiredOrEmpty('string[]'),
      defaultOutputModes: requiredOrEmpty('string[]'),
      skills: requiredOrEmpty('AgentSkill[]'),
      signatures: optional('AgentCardSignature[]'),
      iconUrl: explicit('string'),
    },
  },
} satisfies Record<string, ObjectDefinition>;
