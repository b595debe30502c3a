import type { StreamLoad, StreamResult } from '../../bench/drivers/streams.ts';
import type { FanOut, FanOutResult } from '../../bench/drivers/subscribers.ts';
import { ask } from '../../bench/measure/program.ts';
import { sendMessage } from '../../bench/measure/rpc.ts';
import type { Stage } from '../../bench/measure/stage.ts';
import type { Cost } from './figures.ts';
import { costOf, dividedBy, leastOf, minus, watchedOn } from './meter.ts';

const STREAMS = 100;
/** 50 a second, as a fast model speaks. */
const EVERY_MS = 20;
const SUBSCRIBERS = 200;
const ROUNDS = 2;

/**
 * A chunk from the agent to a subscriber, and to one more. Differences of a long and a short run: the rest cancels out.
 */
export async function measureChunks(stage: Stage): Promise<Record<'chunk' | 'chunkInBurst' | 'delivery', Cost>> {
  const chunk = await slope([20, 170], (chunks) => streams(stage, `chunks ${chunks} every ${EVERY_MS}`));
  const chunkInBurst = await slope([20, 520], (chunks) => streams(stage, `chunks ${chunks}`));
  const many = await slope([3, 23], (messages) => messagesTo(stage, SUBSCRIBERS, messages));
  const one = await slope([3, 23], (messages) => messagesTo(stage, 1, messages));
  // Each message makes the task submitted, and input-required again: two events.
  const delivery = dividedBy(minus(many, one), 2 * (SUBSCRIBERS - 1));
  return { chunk: dividedBy(chunk, STREAMS), chunkInBurst: dividedBy(chunkInBurst, STREAMS), delivery };
}

async function slope([few, many]: [number, number], measure: (count: number) => Promise<Cost>): Promise<Cost> {
  const less = await leastOf(ROUNDS, () => measure(few));
  const more = await leastOf(ROUNDS, () => measure(many));
  return dividedBy(minus(more, less), many - few);
}

function streams(stage: Stage, text: string): Promise<Cost> {
  const load: StreamLoad = { url: stage.gateway.url, text, clients: STREAMS, times: 1 };
  return costOf(watchedOn(stage), () => ask<StreamResult>('workshop/bench/drivers/streams.ts', JSON.stringify(load)));
}

async function messagesTo(stage: Stage, subscribers: number, messages: number): Promise<Cost> {
  const { url } = stage.gateway;
  const { id } = await sendMessage(url, 'ask');
  const load: FanOut = { url, taskId: id, subscribers, messages };
  return costOf(watchedOn(stage), () =>
    ask<FanOutResult>('workshop/bench/drivers/subscribers.ts', JSON.stringify(load)),
  );
}
