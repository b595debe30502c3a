import type { Principal } from '@switchyard/protocol';
import type { ConversationReading } from '@switchyard/store';
import Negotiator from 'negotiator';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { writeError, writeStream } from '../bindings/rest/write.ts';
import { positionIn, versionIn } from '../call/service-parameters.ts';
import { type Exchange, type Handler, pathPart, queryText, respond, respondUnchanged } from '../exchange/exchange.ts';
import { conversationJson, conversationNotFound } from './conversation-json.ts';

interface ConversationRequest {
  readonly principal: Principal;
  readonly conversation: ConversationReading;
}

/**
 * `GET /conversations/<id>`: the conversation and its events, or with `Accept: text/event-stream` a stream of its
 * events.
 */
export function serveConversation(context: GatewayContext): Handler {
  return async (req, res) => {
    const exchange = { req, res };
    try {
      const principal = await context.authenticator.authenticate(req.headers);
      const id = pathPart(req, 'conversationId') ?? '';
      const conversation = await context.conversations.read(principal, id);
      if (!conversation) throw conversationNotFound(id);
      const isStream = new Negotiator(req).mediaType(['application/json', 'text/event-stream']) === 'text/event-stream';
      await (isStream ? streamEvents : writeConversation)(context, exchange, { principal, conversation });
    } catch (thrown) {
      writeError(context, exchange, thrown);
    }
  };
}

async function writeConversation(
  { conversations }: GatewayContext,
  { req, res }: Exchange,
  { conversation }: ConversationRequest,
): Promise<void> {
  res.setHeader('ETag', `"${conversation.seq}"`);
  res.setHeader('Cache-Control', 'private, no-cache');
  res.setHeader('Vary', 'Accept');
  if (versionIn(req.headers['if-none-match']) === String(conversation.seq)) return respondUnchanged(res);
  respond(res, 'application/json', conversationJson(conversation, await conversations.events(conversation.id)));
}

async function streamEvents(
  context: GatewayContext,
  exchange: Exchange,
  { principal, conversation }: ConversationRequest,
): Promise<void> {
  const { req, res } = exchange;
  const after = resumeAfter(exchange);
  // 204 makes an EventSource stop reconnecting (HTML 9.2.3).
  if (conversation.isComplete && after === conversation.seq) return void res.writeHead(204).end();
  using _slot = context.streams.take();
  const signal = context.waiting.watch(res);
  await writeStream(
    context,
    { req, res },
    context.conversationFeeds.follow(principal, conversation.id, { after, signal }),
  );
}

function resumeAfter({ req }: Exchange): number | undefined {
  const { 'last-event-id': header } = req.headers;
  return (
    positionIn(typeof header === 'string' ? header : undefined, 'Last-Event-ID')?.seq ??
    positionIn(queryText(req, 'fromSeq'), 'fromSeq')?.seq
  );
}
