import type { Router } from 'express';
import { refuseVerb } from '../bindings/rest/unserved.ts';
import type { Entrance } from '../http/entrance.ts';
import { serveConversation } from './serve-conversation.ts';
import { serveConversationList } from './serve-conversation-list.ts';

/** What agents say to each other (docs/conversations.md). An extension: no A2A operation. */
export function routeConversations(router: Router, entrance: Entrance): void {
  router.get('/conversations', serveConversationList(entrance)).all('/conversations', refuseVerb(entrance, 'GET'));
  router
    .get('/conversations/:conversationId', serveConversation(entrance))
    .all('/conversations/:conversationId', refuseVerb(entrance, 'GET'));
}
