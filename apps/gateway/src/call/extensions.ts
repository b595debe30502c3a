import {
  type AgentCard,
  type AgentExtension,
  cascadingCancelUri,
  filesUri,
  inputUri,
  priorityUri,
  rerunUri,
  resumableStreamsUri,
  type SendMessageRequest,
  scheduleUri,
  skillUri,
  steeringUri,
  suspendedUri,
  timeToLiveUri,
  traceContextUri,
  usageUri,
  waitingUri,
  wrongFields,
} from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import type { AnnouncedAgent } from '@switchyard/store';
import { z } from 'zod';
import { legacyVersion } from '../exchange/service-parameters.ts';
import type { Call } from './call.ts';

/** An A2A extension of this gateway, for its agents; docs/extensions has a page for each. */
interface GatewayExtension {
  readonly uri: string;
  readonly description: string;
  /** `params` in the agent's card; undefined: not offered for this agent. Unset or empty: offered without params. */
  readonly paramsFor?: (agent: AnnouncedAgent, files?: FilesOffer) => Readonly<Record<string, unknown>> | undefined;
}

/** Where a client uploads files, and how large one may be. */
export interface FilesOffer {
  readonly url: string;
  readonly maxFileBytes: number;
}

export const gatewayExtensions: readonly GatewayExtension[] = [
  {
    uri: cascadingCancelUri,
    description: 'When a task ends early, the tasks that its agent has started and still waits for are canceled, too.',
  },
  {
    uri: filesUri,
    description:
      'Files of any size are uploaded beside the messages, which refer to them by URL. A client that activates it reads small ones as raw.',
    paramsFor: (_, files) => files && { ...files },
  },
  {
    uri: inputUri,
    description: 'The message that begins a task has one data part, which matches this JSON Schema.',
    paramsFor: ({ inputSchema }) => inputSchema && { schema: inputSchema },
  },
  {
    uri: priorityUri,
    description: 'A message says with which priority it waits for the agent: high, normal or low.',
    paramsFor: ({ priority = 'normal' }) => ({ default: priority }),
  },
  {
    uri: rerunUri,
    description: 'An ended task runs again from one of its steps, with changed input, as a new task.',
  },
  {
    uri: resumableStreamsUri,
    description:
      'Every event of a stream has an id, with which a client resumes the stream at any gateway, over every binding.',
  },
  {
    uri: scheduleUri,
    description:
      'A message is worked on at a time, or again and again by cron; its tasks are there and can be canceled before.',
  },
  {
    uri: suspendedUri,
    description: 'A task that waits for a time, or for an event from outside, says so.',
  },
  {
    uri: timeToLiveUri,
    description: 'A message that no worker has begun in its time to live is rejected.',
    paramsFor: ({ timeToLiveMs }) => (timeToLiveMs === undefined ? {} : { defaultMs: timeToLiveMs }),
  },
  {
    uri: traceContextUri,
    description: 'The W3C trace context of a message is propagated to its turns, webhooks and called agents.',
  },
  {
    uri: usageUri,
    description: "A task's metadata says what it has used of models, with the tasks that its agent called.",
  },
  {
    uri: waitingUri,
    description: 'An answer with a task that does not go on says what the task waits for.',
  },
  {
    uri: skillUri,
    description: 'A message names a skill of the card; some skills have their own queue.',
    paramsFor: ({ card, skillQueues = {} }) => {
      const skills = card.skills.flatMap(({ id }) => (skillQueues[id] ? [id] : []));
      return Object.values(skillQueues).some((concurrency) => concurrency > 0) ? { skills } : undefined;
    },
  },
  {
    uri: steeringUri,
    description: 'What happens to a message for a task that is being processed.',
    paramsFor: ({ whileWorking }) => whileWorking && { whileWorking },
  },
];

/**
 * The gateway's extensions for an agent, as in its card. The agent's own declaration takes precedence.
 * @param files unset: the gateway stores none
 */
export function withGatewayExtensions(
  agent: AnnouncedAgent,
  declared: AgentCard['capabilities'],
  files?: FilesOffer,
): AgentExtension[] {
  const own = declared.extensions ?? [];
  const added = gatewayExtensions.flatMap(({ uri, description, paramsFor }): AgentExtension[] => {
    if (own.some((each) => each.uri === uri)) return [];
    if (!paramsFor) return [{ uri, description }];
    const params = paramsFor(agent, files);
    if (!params) return [];
    // A card is signed once more if a part of it is empty.
    return [Object.keys(params).length > 0 ? { uri, description, params } : { uri, description }];
  });
  return [...own, ...added];
}

interface ExtensionRequest {
  readonly agent: AnnouncedAgent;
  /** URIs of the requested extensions. */
  readonly extensions: readonly string[];
}

interface OfferedRequest extends ExtensionRequest {
  /** The gateway stores files. */
  readonly hasFiles: boolean;
}

/** An extension that is requested and offered is active (A2A 4.6); an unknown one is ignored (4.6.3). */
export function offeredExtensions({ agent, extensions, hasFiles }: OfferedRequest): readonly string[] {
  if (extensions.length === 0) return extensions;
  const { capabilities } = agent.extendedCard ?? agent.card;
  const offered = new Set(withGatewayExtensions(agent, capabilities).map(({ uri }) => uri));
  if (hasFiles) offered.add(filesUri);
  return [...new Set(extensions)].filter((uri) => offered.has(uri));
}

/**
 * Makes a reader of what a client asks for by an extension: in the metadata of its message, or else of its request. It
 * returns undefined if the extension is not active, or nothing is asked for, and throws InvalidParams.
 */
export function extensionReader<Value>(uri: string, value: z.ZodType<Value>) {
  const metadata = z.object({ [uri]: value });
  const ofMessage = z.object({ message: z.object({ metadata }) });
  const ofRequest = z.object({ metadata });
  return (call: Pick<Call, 'activeExtensions'>, request: SendMessageRequest): Value | undefined => {
    if (!isActive(call, uri)) return undefined;
    if (request.message.metadata?.[uri] !== undefined) return parse(ofMessage, request).message.metadata[uri];
    return request.metadata?.[uri] === undefined ? undefined : parse(ofRequest, request).metadata[uri];
  };
}

export function isActive({ activeExtensions }: Pick<Call, 'activeExtensions'>, uri: string): boolean {
  return activeExtensions.includes(uri);
}

/**
 * Whether a caller gets as `raw` what was moved into files: it says so by the extension (docs/extensions/files.md), or
 * it is of A2A 0.3, whose clients know no such extension, or it cannot read URLs.
 */
export function wantsRaw(call: Pick<Call, 'activeExtensions' | 'readsNoUrls' | 'version'>): boolean {
  return call.readsNoUrls === true || call.version === legacyVersion || isActive(call, filesUri);
}

/**
 * @throws {A2AError} ExtensionSupportRequired: the agent requires extensions that the client does not support (A2A
 * 3.3.4)
 */
export function requireExtensions({ agent, extensions }: ExtensionRequest): void {
  const declared = agent.card.capabilities.extensions ?? [];
  const missing = declared.flatMap(({ uri, required }) => (required && uri && !extensions.includes(uri) ? [uri] : []));
  if (missing.length === 0) return;
  throw wrongFields(
    'ExtensionSupportRequired',
    'This agent works only with clients that support its extensions',
    missing.map((uri) => ({ field: 'A2A-Extensions', description: `must name ${uri}` })),
  );
}

/** Value of the service parameter `A2A-Extensions` (A2A 3.2.6) as a list. */
export function parseExtensions(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return text
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '');
}
