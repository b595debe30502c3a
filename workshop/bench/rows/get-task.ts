import { CALLERS, etagsOf, httpRate, sendMessage } from '../drive.ts';
import { atLeast, type Row } from '../measure.ts';

const OURS = 'Switchyard';
const MEMORY = 'SDK, in memory';
const EXPRESS = 'Express, a ready body';
const WHOLE = 'GetTask, 25 KB';
const MESSAGES = 100;

/** The same conversation at both servers: fifty questions and answers, about 25 KB. */
async function conversation(url: string): Promise<string> {
  const text = `ask ${'x'.repeat(20)}`;
  let { id, contextId } = await sendMessage(url, text);
  for (let i = 2; i < MESSAGES; i += 2) ({ id, contextId } = await sendMessage(url, text, { taskId: id, contextId }));
  return id;
}

/** A task for each caller, since equal requests share an answer. */
async function longTasks(url: string, base = '') {
  const ids = await Promise.all(Array.from({ length: CALLERS }, () => conversation(url)));
  const paths = ids.map((id) => `${base}/tasks/${id}`);
  const first = `${url}${paths[0]}`;
  const bytes = (await (await fetch(first, { headers: { 'a2a-version': '1.0' } })).text()).length;
  return { url, paths, first, bytes };
}

/** Which of gateway, Redis and generator share a core differs in each run: a second is long enough. */
const rate = ({ url, paths, etags }: Parameters<typeof httpRate>[0]): Promise<number> =>
  httpRate({ url, seconds: 1, ...(paths && { paths }), ...(etags && { etags }) });

export const getTaskRows: readonly Row[] = [
  {
    id: 'get-task',
    title: 'GetTask, 100 messages, 25 KB',
    unit: 'answers/s',
    isShort: true,
    bars: [atLeast(3, MEMORY), atLeast(0.9, EXPRESS)],
    async open(stage) {
      const tasks = await longTasks(stage.gateway.url);
      const notes: Record<string, number> = { bytes: tasks.bytes };
      let sdk: ReturnType<typeof longTasks> | undefined;
      const inMemory = async (): Promise<number> => {
        sdk ??= stage.sdk().then((url) => longTasks(url, '/rest'));
        notes['bytes at the SDK'] = (await sdk).bytes;
        return rate(await sdk);
      };
      const ready = async (kind: string): Promise<number> =>
        rate({ url: `${await stage.peer('workshop/bench/peers/ready-body.ts', kind, tasks.first)}/tasks/1` });
      return {
        ours: { name: OURS, measure: () => rate(tasks) },
        others: [
          { name: MEMORY, measure: inMemory },
          { name: EXPRESS, measure: () => ready('express') },
          { name: 'node:http, a ready body', measure: () => ready('node') },
        ],
        notes,
      };
    },
  },
  {
    id: 'get-task-unchanged',
    title: 'GetTask with an ETag that still holds (304)',
    unit: 'answers/s',
    isShort: true,
    bars: [atLeast(1.3, WHOLE)],
    async open(stage) {
      const tasks = await longTasks(stage.gateway.url);
      const etags = await etagsOf(tasks);
      return {
        ours: { name: OURS, measure: () => rate({ ...tasks, etags }) },
        others: [{ name: WHOLE, measure: () => rate(tasks) }],
      };
    },
  },
];
