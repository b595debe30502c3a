import { idSchema, invalidParams, parse } from '@switchyard/protocol';
import { z } from 'zod';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { writeError } from '../bindings/rest/write.ts';
import { type Handler, queryText, type Route, type RoutedRequest, respond } from '../exchange/exchange.ts';
import { showConversation } from './conversation-json.ts';
import { serveConversation } from './serve-conversation.ts';

const querySchema = z.object({ contextId: idSchema, limit: z.coerce.number().int().min(1).max(100).default(50) });

/**
 * `GET /conversations?contextId=…`: the caller's conversations in a context; open ones first, then the latest ended.
 */
function serveConversationList(context: GatewayContext): Handler {
  return async (req, res) => {
    try {
      const principal = await context.authenticator.authenticate(req.headers);
      const found = await context.conversations.list(principal, queryOf(req));
      respond(res, 'application/json', JSON.stringify({ conversations: found.map(showConversation) }));
    } catch (thrown) {
      writeError(context, { req, res }, thrown);
    }
  };
}

/** @throws {A2AError} InvalidParams */
function queryOf(req: RoutedRequest): z.output<typeof querySchema> {
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
