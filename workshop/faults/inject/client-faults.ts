import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { userMessage } from '../../../tests/support/messages.ts';
import { until } from '../../../tests/support/until.ts';
import { ResilientClient } from '../workload/resilient-client.ts';
import type { Fault, Target } from './fault.ts';
import { keepWorkers } from './keep-workers.ts';
import { crashAgentAt } from './process-faults.ts';

const DEAF_READERS = 20;
/** Of 64 KiB each. */
const FLOOD = 320;
const POISONS = 3;

export const clientFaults: readonly Fault[] = [
  {
    name: 'readers that do not read',
    async inject({ stack, random }) {
      const url = random.pick(stack.urls);
      const task = await new ResilientClient({ urls: [crashAgentAt(url)] }, 0).send(
        userMessage(`flood ${FLOOD}`),
        true,
      );
      const sockets = Array.from({ length: DEAF_READERS }, () => deafReader(crashAgentAt(url), task.id));
      await delay(5_000);
      for (const socket of sockets) socket.destroy();
    },
  },
  { name: 'several messages that kill their worker', spendsAttempts: true, inject: poison },
];

/** Subscribes to a task, and reads nothing. */
export function deafReader(agentUrl: string, taskId: string) {
  return deafRequest(agentUrl, `GET /tasks/${taskId}:subscribe?fromSeq=0`);
}

/** Sends a request, and reads nothing of the answer. @param line verb and path below the agent's URL */
export function deafRequest(agentUrl: string, line: string, body = '') {
  const { hostname, port, pathname } = new URL(agentUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => socket.destroy());
  socket.pause();
  const [verb, path] = line.split(' ');
  const head = [
    `${verb} ${pathname === '/' ? path : pathname + path} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}

/** Workers die of them until all are given up; as many start again. */
async function poison({ stack, victims }: Target): Promise<void> {
  const client = new ResilientClient({ urls: stack.urls.map(crashAgentAt) }, 0);
  const keeper = keepWorkers(stack);
  const sent = Array.from({ length: POISONS }, () => client.send(userMessage('die'), true));
  const tasks = await Promise.all(sent);
  const isOver = async (): Promise<boolean> => {
    const states = await Promise.all(tasks.map(async ({ id }) => (await client.read(id)).status.state));
    return states.every((state) => state === 'TASK_STATE_FAILED');
  };
  await until(isOver, { what: 'the poisons are given up', timeoutMs: 120_000, everyMs: 100 });
  keeper.release();
  for (const program of stack.programs) if (!program.isRunning()) victims.add(program.pid);
}
