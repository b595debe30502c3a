import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { freePort } from '@switchyard/local';
import { until } from '../../../tests/support/until.ts';
import { dataSettings, RedisNode } from '../../faults/redis/redis-node.ts';
import { temporaryFolder } from '../../system.ts';
import type { Named, publications } from '../figures.ts';
import { mainThreadMicros } from './meter.ts';

/** Of an event: its JSON and what goes before it. */
const MESSAGE = 'x'.repeat(300);
const MESSAGES = 20_000;
/** What disturbs a measurement makes it larger: the least counts. */
const ROUNDS = 4;
/** That are on their way at once: at 60 % a master has two or three commands to do whenever it looks. */
const TOGETHER = 2;
const SUBSCRIBERS = 8;
const OTHERS = 4;
const CHANNEL = 'capacity{s0}:t:00000000-0000-0000-0000-000000000000:e';

/** What each subscribed gateway, and each node of a Cluster, adds to the cost of a published event. */
export async function measurePublications(): Promise<Named<typeof publications, number>> {
  await using folder = await temporaryFolder();
  const busPorts = await Promise.all(Array.from({ length: 1 + OTHERS }, freePort));
  const nodes = await Promise.all(busPorts.map((busPort) => createNode(folder.path, busPort)));
  const [first] = nodes;
  if (!first) throw new Error('there is one');
  try {
    await Promise.all(nodes.map((node) => node.start()));
    const alone = await leastOf(() => publish(first, [first]));
    const subscribers = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscriber(first)));
    const heard = await leastOf(() => publish(first, [first]));
    for (const socket of subscribers) socket.destroy();
    await meet(nodes, busPorts);
    const sent = await leastOf(() => publish(first, nodes));
    return {
      copy: (at(heard, 0) - at(alone, 0)) / SUBSCRIBERS,
      send: (at(sent, 0) - at(alone, 0)) / OTHERS,
      receive: sent.slice(1).reduce((sum, micros) => sum + micros, 0) / OTHERS,
    };
  } finally {
    await Promise.all(nodes.map((node) => node.kill()));
  }
}

async function leastOf(measure: () => Promise<number[]>): Promise<number[]> {
  let least = await measure();
  for (let round = 1; round < ROUNDS; round++) {
    const again = await measure();
    least = least.map((micros, i) => Math.min(micros, at(again, i)));
  }
  return least;
}

const at = (values: readonly number[], index: number): number => values[index] ?? Number.NaN;

async function createNode(folder: string, busPort: number): Promise<RedisNode> {
  const cluster = { 'cluster-enabled': 'yes', 'cluster-port': String(busPort) };
  return RedisNode.create({ folder, settings: { ...dataSettings, ...cluster } });
}

/** Every node knows every other, and links to it are open. */
async function meet(nodes: readonly RedisNode[], busPorts: readonly number[]): Promise<void> {
  for (const [i, { port }] of nodes.entries())
    if (i > 0) await nodes[0]?.ask(`CLUSTER MEET 127.0.0.1 ${port} ${busPorts[i]}`);
  const isMet = async (node: RedisNode): Promise<boolean> => {
    const links = await node.ask('CLUSTER LINKS');
    return (links.match(/\bto\b/g) ?? []).length >= OTHERS;
  };
  const haveMet = async (): Promise<boolean> => (await Promise.all(nodes.map(isMet))).every(Boolean);
  await until(haveMet, { what: 'the nodes have met', timeoutMs: 20_000, everyMs: 50 });
}

async function subscriber({ port }: RedisNode): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.write(`SUBSCRIBE ${CHANNEL}\r\n`);
  await once(socket, 'data');
  return socket.resume();
}

/** @returns microseconds of each node's main thread for each message */
async function publish({ port }: RedisNode, watched: readonly RedisNode[]): Promise<number[]> {
  const before = await Promise.all(watched.map(microsOf));
  const socket = connect({ host: '127.0.0.1', port }).setNoDelay();
  const batch = `PUBLISH ${CHANNEL} ${MESSAGE}\r\n`.repeat(TOGETHER);
  for (let sent = 0; sent < MESSAGES; sent += TOGETHER) {
    socket.write(batch);
    for (let replies = 0; replies < TOGETHER; ) {
      const [bytes]: Buffer[] = await once(socket, 'data');
      replies += (String(bytes).match(/\n/g) ?? []).length;
    }
  }
  socket.destroy();
  const after = await Promise.all(watched.map(microsOf));
  return after.map((micros, i) => (micros - at(before, i)) / MESSAGES);
}

async function microsOf(node: RedisNode): Promise<number> {
  return mainThreadMicros(await node.ask('INFO everything'));
}
