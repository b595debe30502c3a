import { Conversations } from '@switchyard/conversations';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEventStream } from '../../../../tests/support/event-stream.ts';
import { get, post, type Sent, userMessage } from '../support/client.ts';
import { openStage, type Stage } from '../support/stage.ts';

interface Page {
  readonly lastSeq: number;
  readonly hasMore?: boolean;
  readonly events: readonly { readonly seq: number }[];
}

const PAGE = 100_000;
let stage: Stage;

beforeAll(async () => {
  stage = await openStage({ store: { maxPageBytes: PAGE } });
});

afterAll(() => stage[Symbol.asyncDispose]());

it('a long conversation is returned in pages of bounded size, and streamed completely', async () => {
  const { body } = await post<Sent>(`${stage.url}/message:send`, {
    message: userMessage('talk'),
    configuration: { returnImmediately: true },
  });
  const turn = await stage.beginTurn(body.task.id);
  const id = await new Conversations(stage.store.inside).open(turn, { seed: 'one', toAgent: 'oracle', maxTurns: 50 });
  const text = 'x'.repeat(20_000);
  for (let seq = 1; seq <= 30; seq++)
    await new Conversations(stage.store.inside).append(turn, id, {
      seq,
      event: { text },
      nextTurn: seq,
      isEnd: seq === 30,
    });

  const url = `${stage.url}/conversations/${id}`;
  const seqs: number[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await get<Page>(seqs.length === 0 ? url : `${url}?lastEventId=${seqs.at(-1)}`, {});
    expect(JSON.stringify(page.body).length).toBeLessThan(PAGE + 25_000);
    seqs.push(...page.body.events.map(({ seq }) => seq));
    hasMore = page.body.hasMore ?? false;
  }
  const all = Array.from({ length: 30 }, (_, i) => i + 1);
  expect(seqs).toEqual(all);
  const events = await openEventStream(url);
  expect((await events.rest()).map(({ id }) => Number(id))).toEqual(all);
});
