import { idSchema, invalidParams, parse } from '@switchyard/protocol';
import type { Request, RequestHandler, Router } from 'express';
import { z } from 'zod';
import type { Entrance } from '../bindings/gateway-context.ts';
import { refuseVerb } from '../bindings/rest/unserved.ts';
import { writeError } from '../bindings/rest/write.ts';
import { queryText } from '../exchange/exchange.ts';
import { respond } from '../exchange/respond.ts';
import { showConversation } from './conversation-json.ts';
import { serveConversation } from './serve-conversation.ts';

const querySchema = z.object({ contextId: idSchema, limit: z.coerce.number().int().min(1).max(100).default(50) });

/** `GET /conversations?contextId=…`: the caller's conversations in a context; those that go on first, then the one that ended last. */
export function serveConversationList(entrance: Entrance): RequestHandler {
  return async (req, res) => {
    try {
      const principal = await entrance.authenticator.authenticate(req.headers);
      const found = await entrance.conversations.list(principal, queryOf(req));
      respond(res, 'application/json', JSON.stringify({ conversations: found.map(showConversation) }));
    } catch (thrown) {
      writeError(entrance, { req, res }, thrown);
    }
  };
}

/** @throws {A2AError} InvalidParams */
function queryOf(req: Request): z.output<typeof querySchema> {
  const contextId = queryText(req, 'contextId');
  if (contextId === undefined) throw invalidParams([{ field: 'contextId', description: 'is required' }]);
  return parse(querySchema, { contextId, limit: queryText(req, 'limit') });
}

/** What agents say to each other (docs/conversations.md). An extension: no A2A operation. */
export function routeConversations(router: Router, entrance: Entrance): void {
  router.get('/conversations', serveConversationList(entrance)).all('/conversations', refuseVerb(entrance, 'GET'));
  router
    .get('/conversations/:conversationId', serveConversation(entrance))
    .all('/conversations/:conversationId', refuseVerb(entrance, 'GET'));
}
