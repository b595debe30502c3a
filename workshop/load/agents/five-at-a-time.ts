import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { defineAgent } from '@switchyard/agent';

/**
 * Keeps a connection to the port that its message names, for some ms: `4711 20`. It sends the process that it runs in.
 * Five turns at a time.
 */
export default defineAgent({
  id: 'five-at-a-time',
  card: { name: 'Five at a time', description: 'Runs five turns at a time.', version: '1.0.0', skills: [] },
  concurrency: 2,
  limits: { running: 5 },
  retry: { attempts: 20 },
  async execute(turn) {
    const [port, ms] = turn.text.split(' ').map(Number);
    const socket = connect(port ?? 0, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(String(process.pid));
    await delay(ms);
    const closed = once(socket, 'close');
    socket.end();
    await closed;
    return turn.complete();
  },
});
