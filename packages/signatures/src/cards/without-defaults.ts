import type { AgentCard } from '@switchyard/protocol';

/** The protobuf types of a message's fields. Fields not listed are strings, numbers, booleans, or lists of strings. */
interface Shape {
  /** Fields that are written even if empty or false: REQUIRED or `optional` in the protobuf definition. */
  readonly keeps?: readonly string[];
  readonly messages?: Readonly<Record<string, Shape>>;
  readonly lists?: Readonly<Record<string, Shape>>;
  readonly maps?: Readonly<Record<string, Shape>>;
  /** Fields with any JSON, which stays unchanged. */
  readonly structs?: readonly string[];
}

const requirement: Shape = { maps: { schemes: {} } };
const flow: Shape = { keeps: ['scopes'] };
const scheme: Shape = {
  messages: {
    apiKeySecurityScheme: {},
    httpAuthSecurityScheme: {},
    oauth2SecurityScheme: {
      messages: {
        flows: {
          messages: { authorizationCode: flow, clientCredentials: flow, deviceCode: flow, implicit: {}, password: {} },
        },
      },
    },
    openIdConnectSecurityScheme: {},
    mtlsSecurityScheme: {},
  },
};

/** A2A 4.4 and 4.5. Required strings are not listed: a valid card has them. */
const agentCard: Shape = {
  keeps: ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes', 'skills', 'documentationUrl', 'iconUrl'],
  messages: {
    provider: {},
    capabilities: {
      keeps: ['streaming', 'pushNotifications', 'extendedAgentCard'],
      lists: { extensions: { structs: ['params'] } },
    },
  },
  lists: {
    supportedInterfaces: {},
    securityRequirements: requirement,
    skills: { keeps: ['tags'], lists: { securityRequirements: requirement } },
  },
  maps: { securitySchemes: scheme },
};

/**
 * The card as it is signed (A2A 8.4.1): without its signatures, and without values that protobuf cannot distinguish
 * from unset ones. A message that is set is written even if it is empty.
 */
export function withoutDefaults({ signatures: _notSigned, ...card }: AgentCard): object {
  return message(card, agentCard);
}

function message(value: unknown, shape: Shape): object {
  const isMessage = (name: string): boolean => shape.messages?.[name] !== undefined;
  const fields = entriesOf(value)
    .map(([name, field]): [string, unknown] => [name, content(name, field, shape)])
    .filter(
      ([name, field]) => isMessage(name) || isStruct(name, shape) || shape.keeps?.includes(name) || !isDefault(field),
    );
  return Object.fromEntries(fields);
}

function content(name: string, value: unknown, { messages, lists, maps }: Shape): unknown {
  const [asMessage, asList, asMap] = [messages?.[name], lists?.[name], maps?.[name]];
  if (asMessage) return message(value, asMessage);
  if (asList && Array.isArray(value)) return value.map((entry) => message(entry, asList));
  if (asMap) return Object.fromEntries(entriesOf(value).map(([key, entry]) => [key, message(entry, asMap)]));
  return value;
}

function isStruct(name: string, { structs = [] }: Shape): boolean {
  return structs.includes(name);
}

function isDefault(value: unknown): boolean {
  if (typeof value === 'object') return value === null || Object.keys(value).length === 0;
  return value === undefined || value === '' || value === false || value === 0;
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
