import type { Metadata } from './json.ts';
import type { SecurityRequirement, SecurityScheme } from './security.ts';

/** §4.4.6: a URL, its binding and version. */
export interface AgentInterface {
  url: string;
  protocolBinding: string;
  tenant?: string;
  protocolVersion: string;
}

/** §4.4.2. */
export interface AgentProvider {
  url: string;
  organization: string;
}

/** §4.4.4. */
export interface AgentExtension {
  uri?: string;
  description?: string;
  required?: boolean;
  params?: Metadata;
}

/** §4.4.3. */
export interface AgentCapabilities {
  streaming?: boolean;
  pushNotifications?: boolean;
  extensions?: AgentExtension[];
  extendedAgentCard?: boolean;
}

/** §4.4.5. */
export interface AgentSkill {
  id: string;
  name: string;
  description: string;
  tags: string[];
  examples?: string[];
  /** Media types; unset: those of the card. */
  inputModes?: string[];
  /** Media types; unset: those of the card. */
  outputModes?: string[];
  securityRequirements?: SecurityRequirement[];
}

/** §4.4.7: a JWS over the card. */
export interface AgentCardSignature {
  protected: string;
  signature: string;
  header?: Metadata;
}

/** §4.4.1. Required lists may be empty: ProtoJSON leaves an empty list out. */
export interface AgentCard {
  name: string;
  description: string;
  supportedInterfaces: AgentInterface[];
  provider?: AgentProvider;
  version: string;
  documentationUrl?: string;
  capabilities: AgentCapabilities;
  securitySchemes?: Record<string, SecurityScheme>;
  securityRequirements?: SecurityRequirement[];
  /** Media types. */
  defaultInputModes: string[];
  /** Media types. */
  defaultOutputModes: string[];
  skills: AgentSkill[];
  signatures?: AgentCardSignature[];
  iconUrl?: string;
}
