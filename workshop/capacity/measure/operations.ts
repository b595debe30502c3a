import { CALLERS, etagsOf, fanOut, httpRate, sendBody, sendMessage, streams } from '../../bench/drive.ts';
import type { Stage } from '../../bench/stage.ts';
import type { Cost, Named, operations } from '../figures.ts';
import type { Effort } from './effort.ts';
import { costOf, dividedBy, leastOf, minus, watchedOn } from './meter.ts';

/** Whole seconds: the load generator stops at one. */
const SECONDS = 2;
const STREAMS = 100;
/** 50 a second, like a fast model. */
const EVERY_MS = 20;
const SUBSCRIBERS = 200;

type Operations = Named<typeof operations, Cost>;

export async function measureOperations(stage: Stage, { rounds }: Effort): Promise<Operations> {
  const [tasks, polls] = [await measureTasks(stage, rounds), await measurePolls(stage, rounds)];
  // Each round has a long and a short run.
  return { ...tasks, ...polls, ...(await measureChunks(stage, Math.ceil(rounds / 2))) };
}

const acceptedOn = ({ redis }: Stage): Promise<number> => redis.zcard('bench{s0}:x:default/anonymous/bench');

/** The cost per accepted task of an action, including its turn. */
async function perTask(stage: Stage, act: () => Promise<unknown>): Promise<Cost> {
  const before = await acceptedOn(stage);
  const cost = await costOf(watchedOn(stage), act);
  return dividedBy(cost, (await acceptedOn(stage)) - before);
}

/** An accepted task, its turn, and a client that waits for it. */
async function measureTasks(stage: Stage, rounds: number): Promise<Pick<Operations, 'accept' | 'complete' | 'wait'>> {
  const load = (returnImmediately: boolean): Promise<number> =>
    httpRate({ url: stage.gateway.url, body: sendBody('done', returnImmediately), seconds: SECONDS });
  await load(false); // for the compiler
  await stage.withoutWorker();
  const accept = await leastOf(rounds, async () => {
    const cost = await perTask(stage, () => load(true));
    await stage.clear(); // a principal may have a limited number of open tasks
    return cost;
  });
  await stage.withWorker();
  const loadAndDrain = async (): Promise<void> => {
    await load(true);
    await stage.untilFinished();
  };
  const whole = await leastOf(rounds, () => perTask(stage, loadAndDrain));
  const waited = await leastOf(rounds, () => perTask(stage, () => load(false)));
  return { accept, complete: minus(whole, accept), wait: minus(waited, whole) };
}

/**
 * GetTask of small tasks, with and without the ETag. Each caller reads its own, since equal requests share an answer.
 */
async function measurePolls(stage: Stage, rounds: number): Promise<Pick<Operations, 'poll' | 'unchanged'>> {
  const { url } = stage.gateway;
  const tasks = await Promise.all(Array.from({ length: CALLERS }, () => sendMessage(url, 'done')));
  const paths = tasks.map(({ id }) => `/tasks/${id}`);
  const polls = async (condition: { readonly etags?: readonly string[] }): Promise<Cost> => {
    await httpRate({ url, paths, ...condition, seconds: 1 });
    return leastOf(rounds, async () => {
      let count = 0;
      const cost = await costOf(watchedOn(stage), async () => {
        count = (await httpRate({ url, paths, ...condition, seconds: SECONDS })) * SECONDS;
      });
      return dividedBy(cost, count);
    });
  };
  return { poll: await polls({}), unchanged: await polls({ etags: await etagsOf({ url, paths }) }) };
}

/** A chunk from the agent to a subscriber, and to another one: the difference of a long and a short run. */
async function measureChunks(
  stage: Stage,
  rounds: number,
): Promise<Pick<Operations, 'chunk' | 'chunkInBurst' | 'delivery'>> {
  const slope = slopeOf(rounds);
  const chunk = await slope([20, 170], (chunks) => streamed(stage, `chunks ${chunks} every ${EVERY_MS}`));
  const chunkInBurst = await slope([20, 520], (chunks) => streamed(stage, `chunks ${chunks}`));
  const many = await slope([3, 23], (messages) => messagesTo(stage, SUBSCRIBERS, messages));
  const one = await slope([3, 23], (messages) => messagesTo(stage, 1, messages));
  // Each message makes the task submitted, then input-required again: two events.
  const delivery = dividedBy(minus(many, one), 2 * (SUBSCRIBERS - 1));
  return { chunk: dividedBy(chunk, STREAMS), chunkInBurst: dividedBy(chunkInBurst, STREAMS), delivery };
}

const slopeOf =
  (rounds: number) =>
  async ([few, many]: [number, number], measure: (count: number) => Promise<Cost>): Promise<Cost> => {
    const less = await leastOf(rounds, () => measure(few));
    const more = await leastOf(rounds, () => measure(many));
    return dividedBy(minus(more, less), many - few);
  };

function streamed(stage: Stage, text: string): Promise<Cost> {
  return costOf(watchedOn(stage), () => streams({ url: stage.gateway.url, text, clients: STREAMS, times: 1 }));
}

async function messagesTo(stage: Stage, subscribers: number, messages: number): Promise<Cost> {
  const { url } = stage.gateway;
  const { id: taskId } = await sendMessage(url, 'ask');
  return costOf(watchedOn(stage), () => fanOut({ url, taskId, subscribers, messages }));
}
