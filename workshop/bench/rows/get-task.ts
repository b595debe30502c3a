import { CALLERS, etagsOf, httpRate, sendMessage } from '../measure/drive.ts';
import type { Row } from '../measure/row.ts';
import type { Stage } from '../measure/stage.ts';

const OURS = 'Switchyard';
const MEMORY = 'SDK, in memory';
const EXPRESS = 'Express, a ready body';
const WHOLE = 'GetTask, 25 KB';
const MESSAGES = 100;
const version = { 'a2a-version': '1.0' };

/** One for each caller: equal questions cost less. */
interface Tasks {
  readonly url: string;
  readonly paths: readonly string[];
}

/** The same conversation at both servers: fifty questions and answers, about 25 KB. */
async function conversation(url: string): Promise<string> {
  const text = `ask ${'x'.repeat(20)}`;
  let { id, contextId } = await sendMessage(url, text);
  for (let i = 2; i < MESSAGES; i += 2) ({ id, contextId } = await sendMessage(url, text, { taskId: id, contextId }));
  return id;
}

async function longTasks(url: string, base = ''): Promise<Tasks> {
  const ids = await Promise.all(Array.from({ length: CALLERS }, () => conversation(url)));
  return { url, paths: ids.map((id) => `${base}/tasks/${id}`) };
}

/** Which two of gateway, Redis and generator share a core is random in each run: a second is long enough. */
const rate = (load: { readonly url: string; readonly etags?: readonly string[] }): Promise<number> =>
  httpRate({ seconds: 1, ...load });

export const getTaskRows: readonly Row[] = [
  {
    id: 'get-task',
    title: 'GetTask, 100 messages, 25 KB',
    unit: 'answers/s',
    isShort: true,
    bars: [
      { to: MEMORY, at: 'least', value: 3 },
      { to: EXPRESS, at: 'least', value: 0.9 },
    ],
    async open(stage) {
      const tasks = await longTasks(stage.gateway.url);
      const first = `${tasks.url}${tasks.paths[0]}`;
      const notes: Record<string, number> = { bytes: await bytesOf(first) };
      let sdk: Tasks | undefined;
      const sdkTasks = async (): Promise<Tasks> => {
        if (sdk) return sdk;
        sdk = await longTasks(await stage.sdk(), '/rest');
        notes['bytes at the SDK'] = await bytesOf(`${sdk.url}${sdk.paths[0]}`);
        return sdk;
      };
      const ready = async (kind: string): Promise<number> =>
        rate({ url: `${await stage.peer('workshop/bench/peers/ready-body.ts', kind, first)}/tasks/1` });
      return {
        ours: { name: OURS, measure: () => rate(tasks) },
        others: [
          { name: MEMORY, measure: async () => rate(await sdkTasks()) },
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
    bars: [{ to: WHOLE, at: 'least', value: 1.3 }],
    async open(stage: Stage) {
      const tasks = await longTasks(stage.gateway.url);
      const etags = await etagsOf(tasks);
      return {
        ours: { name: OURS, measure: () => rate({ ...tasks, etags }) },
        others: [{ name: WHOLE, measure: () => rate(tasks) }],
      };
    },
  },
];

async function bytesOf(url: string): Promise<number> {
  return (await (await fetch(url, { headers: version })).text()).length;
}
