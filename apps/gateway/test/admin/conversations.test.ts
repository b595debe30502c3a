import { Conversations } from '@switchyard/conversations';
import { conversationRowSchema, conversationSchema, pageOf } from '@switchyard/operator-api';
import { expect, it } from 'vitest';
import { submit } from '../support/client.ts';
import { begin, openAdminStage } from './support.ts';

it('operators list conversations, and read their events', async () => {
  await using stage = await openAdminStage();
  const { id: taskId, contextId } = await submit(stage.url);
  const turn = await begin(stage.store, taskId);
  const id = await new Conversations(stage.store.inside).open(turn, { seed: 'a', toAgent: 'target', maxTurns: 4 });
  const event = { conversationId: id, fromAgent: 'echo', toAgent: 'target', phase: 'turn', turn: 0, maxTurns: 4 };
  const said = { ...event, text: 'Hello', taskId };
  await new Conversations(stage.store.inside).append(turn, id, { seq: 1, event: said, nextTurn: 1, isEnd: false });
  const { body: list } = await stage.ask('/admin/conversations?state=open&tenant=default');
  expect(pageOf('conversations', conversationRowSchema).parse(list)).toEqual(list);
  expect(list).toMatchObject({ conversations: [{ conversationId: id, contextId, taskId, lastSeq: 1 }], totalSize: 1 });
  const { body: whole } = await stage.ask(`/admin/conversations/${id}`);
  expect(conversationSchema.parse(whole)).toEqual(whole);
  expect(whole).toMatchObject({ state: 'open', events: [{ seq: 1, ...said }] });
  expect((await stage.ask('/admin/conversations/nothing')).status).toBe(404);
  expect((await stage.ask('/admin/conversations?state=closed')).status).toBe(400);
});
