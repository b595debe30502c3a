import type { ConversationItem, ConversationReading } from '@switchyard/conversations';
import { A2AError, invalidParams } from '@switchyard/protocol';
import { idSchema, parse } from '@switchyard/protocol/schemas';
import Negotiator from 'negotiator';
import { z } from 'zod';
import type { Admission } from '../admission/admission.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { resumeAfterIn } from '../bindings/http-call.ts';
import { writeRestStream } from '../bindings/rest.ts';
import { throwIfCutShort } from '../call/held-requests.ts';
import {
  type Exchange,
  type Handler,
  pathPart,
  queryText,
  type Route,
  type RoutedRequest,
  requireKnownParameters,
  respond,
  respondUnchanged,
} from '../exchange/exchange.ts';
import { versionIn } from '../exchange/service-parameters.ts';
import { forCallers } from './for-callers.ts';

const querySchema = z.object({ contextId: idSchema, limit: z.coerce.number().int().min(1).max(100).default(50) });

/**
 * `GET /conversations?contextId=…`: the caller's conversations in a context; open ones first, then the latest ended.
 */
function serveConversationList(context: GatewayContext): Handler {
  return forCallers(context, 'ReadConversations', async (admission, { req, res }) => {
    const query = queryOf(req);
    const { principal } = admission;
    const kept = await Promise.all(
      context.allPartsOf(principal, query.contextId).map(({ conversations }) => conversations.list(principal, query)),
    );
    const found = kept
      .flat()
      .sort((a, b) => (a.endedMs === b.endedMs ? 0 : b.endedMs - a.endedMs))
      .filter((each) => canUseBoth(admission, each))
      .slice(0, query.limit);
    admission.audit({ what: 'read', outcome: 'ok', operation: 'ReadConversations' });
    respond(res, 'application/json', JSON.stringify({ conversations: found.map(showConversation) }));
  });
}

/** @throws {A2AError} InvalidParams */
function queryOf(req: RoutedRequest): z.output<typeof querySchema> {
  requireKnownParameters(req, ['contextId', 'limit']);
  const contextId = queryText(req, 'contextId');
  if (contextId === undefined) throw invalidParams([{ field: 'contextId', description: 'is required' }]);
  return parse(querySchema, { contextId, limit: queryText(req, 'limit') });
}

/** Routes of conversations between agents (docs/conversations.md). Not part of A2A. */
export function conversationRoutes(context: GatewayContext): Route[] {
  return [
    { verb: 'GET', path: '/conversations', handle: serveConversationList(context) },
    { verb: 'GET', path: '/conversations/:conversationId', handle: serveConversation(context) },
  ];
}

interface ConversationRequest {
  readonly admission: Admission;
  readonly conversation: ConversationReading;
}

/**
 * `GET /conversations/<id>`: the conversation and its events, or with `Accept: text/event-stream` a stream of its
 * events.
 */
function serveConversation(context: GatewayContext): Handler {
  return forCallers(context, 'ReadConversations', async (admission, exchange) => {
    const { req } = exchange;
    const id = pathPart(req, 'conversationId') ?? '';
    const conversation = await context.partsOf(id, admission.principal).conversations.read(admission.principal, id);
    const isFound = conversation && canUseBoth(admission, conversation);
    // The scopes that their cards require, as for their tasks.
    if (isFound)
      for (const agent of [conversation.fromAgent, conversation.toAgent])
        admission.requireAgent('ReadConversations', context.agents.find(agent));
    const outcome = isFound ? 'ok' : 'NotFound';
    admission.audit({ what: 'read', outcome, operation: 'ReadConversations', object: id.slice(0, 128) });
    if (!isFound) throw conversationNotFound(id);
    await (isStreamWanted(req) ? streamEvents : writeConversation)(context, exchange, { admission, conversation });
  });
}

/** A stream for HEAD would never end: HEAD is answered as for JSON. */
function isStreamWanted(req: RoutedRequest): boolean {
  const type = new Negotiator(req).mediaType(['application/json', 'text/event-stream']);
  return type === 'text/event-stream' && req.method !== 'HEAD';
}

async function writeConversation(
  context: GatewayContext,
  exchange: Exchange,
  { admission, conversation }: ConversationRequest,
): Promise<void> {
  const { req, res } = exchange;
  const after = resumeAfterIn(exchange)?.seq;
  res.setHeader('ETag', `"${conversation.seq}"`);
  res.setHeader('Cache-Control', 'private, no-cache');
  res.appendHeader('Vary', 'Accept, Last-Event-ID');
  if (versionIn(req.headers['if-none-match']) === String(conversation.seq)) return respondUnchanged(res);
  const { conversations } = context.partsOf(conversation.id, admission.principal);
  respond(res, 'application/json', conversationJson(conversation, await conversations.events(conversation.id, after)));
}

async function streamEvents(
  context: GatewayContext,
  exchange: Exchange,
  { admission, conversation }: ConversationRequest,
): Promise<void> {
  const { req, res } = exchange;
  const after = resumeAfterIn(exchange)?.seq;
  // 204 makes an EventSource stop reconnecting (HTML 9.2.3).
  if (conversation.isComplete && after === conversation.seq)
    return void res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
  using _stream = admission.hold('stream');
  const signal = context.heldRequests.watch(res, admission);
  const items = context
    .partsOf(conversation.id, admission.principal)
    .conversationFeeds.follow(admission.principal, conversation.id, { after, signal });
  await writeRestStream(context, { req, res }, { items, requireWhole: () => throwIfCutShort(signal) });
}

/** The conversation has texts of both agents. */
function canUseBoth(admission: Admission, { fromAgent, toAgent }: ConversationReading): boolean {
  return admission.canUse(fromAgent) && admission.canUse(toAgent);
}

/** A conversation in responses: docs/conversations.md. */
interface ShownConversation {
  readonly conversationId: string;
  readonly contextId: string;
  /** The agent that started it. */
  readonly fromAgent: string;
  readonly toAgent: string;
  readonly maxTurns: number;
  /** The task whose turn holds it. */
  readonly taskId: string;
  readonly state: 'open' | 'complete';
  /** The number of its last event. */
  readonly lastSeq: number;
}

function showConversation(conversation: ConversationReading): ShownConversation {
  const { id, contextId, fromAgent, toAgent, maxTurns, taskId, seq, isComplete } = conversation;
  const state = isComplete ? 'complete' : 'open';
  return { conversationId: id, contextId, fromAgent, toAgent, maxTurns, taskId, state, lastSeq: seq };
}

/** The conversation with a page of its events, which are stored as JSON. `hasMore`: there are further events. */
function conversationJson(conversation: ConversationReading, items: readonly ConversationItem[]): string {
  // Leaves out events that were added after the conversation was read.
  const events = items.filter(({ seq }) => seq <= conversation.seq);
  const last = events.at(-1);
  const hasMore = last !== undefined && last.seq < conversation.seq ? ',"hasMore":true' : '';
  const head = JSON.stringify(showConversation(conversation)).slice(0, -1);
  return `${head}${hasMore},"events":[${events.map(({ json }) => json)}]}`;
}

/** No such conversation of this caller: does not reveal whether another caller has it. */
function conversationNotFound(conversationId: string): A2AError {
  return new A2AError('NotFound', 'The conversation does not exist or is not accessible', {
    metadata: { conversationId: conversationId.slice(0, 64) },
  });
}
