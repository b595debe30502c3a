import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from './until.ts';

/** What clients send to a Redis; what its own scripts do is left out. */
export interface RedisMonitor extends Disposable {
  /** Every command so far, with its arguments: `"get" "key"`. */
  readonly commands: readonly string[];
  /** Resolves when everything that Redis was sent before is in `commands`. */
  catchUp(): Promise<void>;
}

/** Watches with MONITOR: it slows Redis down, so only for a Redis of the test's own. */
export async function monitorRedis(url: string): Promise<RedisMonitor> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  const commands: string[] = [];
  let text = '';
  socket.setEncoding('utf8').on('data', (more: string) => {
    const lines = (text + more).split('\r\n');
    text = lines.pop() ?? '';
    // `+1700000000.123456 [0 127.0.0.1:50000] "get" "key"`; scripts have `lua` where clients have their address.
    commands.push(...lines.flatMap((line) => /^\+[\d.]+ \[\d+ (?!lua\])\S+\] (.*)$/.exec(line)?.[1] ?? []));
  });
  socket.write('MONITOR\r\n');
  const catchUp = async (): Promise<void> => {
    const mark = `mark-${commands.length}-${Date.now()}`;
    const other = connect({ host, port: Number(port) });
    other.end(`ECHO ${mark}\r\n`);
    await until(() => commands.some((command) => command.includes(mark)), { what: `the monitor shows ${mark}` });
  };
  await catchUp();
  return { commands, catchUp, [Symbol.dispose]: () => socket.destroy() };
}
