import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startCluster, startSingle } from '../../faults/redis/deployments.ts';
import type { RedisNode } from '../../faults/redis/redis-node.ts';
import type { Named, publications } from '../figures.ts';
import type { Effort } from './effort.ts';
import { mainThreadMicros } from './meter.ts';

/** Bytes of an event: its JSON and what precedes it. */
const MESSAGE = 'x'.repeat(300);
/** Number of commands in flight: at 60 % load a master has two or three waiting. */
const TOGETHER = 2;
const SUBSCRIBERS = 8;
const CHANNEL = 'capacity{s0}:t:00000000-0000-0000-0000-000000000000:e';

/** What each subscribed gateway and each replica in a Cluster adds to the cost of a published event. */
export async function measurePublications({ rounds, messages }: Effort): Promise<Named<typeof publications, number>> {
  const measure = (nodes: readonly RedisNode[]) => leastOf(rounds, () => publish(nodes, messages));
  await using single = await startSingle();
  const [alone = Number.NaN] = await measure(single.nodes);
  const subscribers = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscriber(single.nodes[0])));
  const [subscribed = Number.NaN] = await measure(single.nodes);
  for (const socket of subscribers) socket.destroy();
  await using cluster = await startCluster();
  const has = await Promise.all(cluster.nodes.map(hasChannel));
  const master = cluster.nodes.filter((_, i) => has[i]);
  const others = cluster.nodes.filter((_, i) => !has[i]);
  const [sent = Number.NaN, ...received] = await measure([...master, ...others]);
  return {
    copy: (subscribed - alone) / SUBSCRIBERS,
    send: sent - alone,
    // The replica of this master is the only one that receives the message.
    receive: received.reduce((sum, micros) => sum + micros, 0),
  };
}

async function hasChannel(node: RedisNode): Promise<boolean> {
  return (await node.ask(`SPUBLISH ${CHANNEL} x`)).startsWith(':');
}

async function leastOf(rounds: number, measure: () => Promise<number[]>): Promise<number[]> {
  let least = await measure();
  for (let round = 1; round < rounds; round++) {
    const again = await measure();
    least = least.map((micros, i) => Math.min(micros, again[i] ?? Number.NaN));
  }
  return least;
}

function connectTo(node: RedisNode | undefined): Socket {
  return connect({ host: '127.0.0.1', port: node?.port ?? 0, noDelay: true });
}

async function subscriber(node: RedisNode | undefined): Promise<Socket> {
  const socket = connectTo(node);
  socket.write(`SSUBSCRIBE ${CHANNEL}\r\n`);
  await once(socket, 'data');
  return socket.resume();
}

/** Publishes at the first node. @returns microseconds of each node's main thread per message */
async function publish(nodes: readonly RedisNode[], messages: number): Promise<number[]> {
  const before = await Promise.all(nodes.map(microsOf));
  const socket = connectTo(nodes[0]);
  const batch = `SPUBLISH ${CHANNEL} ${MESSAGE}\r\n`.repeat(TOGETHER);
  for (let sent = 0; sent < messages; sent += TOGETHER) {
    socket.write(batch);
    for (let replies = 0; replies < TOGETHER; ) {
      const [bytes]: Buffer[] = await once(socket, 'data');
      replies += (String(bytes).match(/\n/g) ?? []).length;
    }
  }
  socket.destroy();
  const after = await Promise.all(nodes.map(microsOf));
  return after.map((micros, i) => (micros - (before[i] ?? Number.NaN)) / messages);
}

async function microsOf(node: RedisNode): Promise<number> {
  return mainThreadMicros(await node.ask('INFO everything'));
}
