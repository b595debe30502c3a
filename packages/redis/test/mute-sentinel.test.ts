import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startRedis } from '../../../tests/support/redis.ts';
import { createConnections } from '../src/index.ts';

/** Accepts connections, as a frozen host does. @param master where it says that the master is; unset: it never answers */
async function sentinel(master?: string): Promise<number> {
  const answerTo = (command: string): string => {
    if (command.includes('get-master-addr-by-name'))
      return `*2\r\n$9\r\n127.0.0.1\r\n$${master?.length}\r\n${master}\r\n`;
    return command.includes('sentinels') ? '*0\r\n' : '+OK\r\n';
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (master !== undefined)
        for (const command of data.toString().split(/(?=^\*\d)/m)) socket.write(answerTo(command));
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

test('a sentinel that does not answer is passed over', async () => {
  const master = await startRedis();
  onTestFinished(() => master.stop());
  const { port } = new URL(master.url);
  const [mute, good] = [await sentinel(), await sentinel(port)];
  const redisUrl = `redis+sentinel://127.0.0.1:${mute},127.0.0.1:${good}/main`;
  const { commands } = createConnections({ redisUrl }, { isReplicated: false });
  onTestFinished(() => commands.disconnect());
  await commands.connect();
  expect(await commands.ping()).toBe('PONG');
});

test('commands are rejected by disconnect also if no sentinel answers', async () => {
  const redisUrl = `redis+sentinel://127.0.0.1:${await sentinel()}/main`;
  const { commands } = createConnections({ redisUrl }, { isReplicated: false });
  commands.on('error', () => undefined);
  const sent = commands.ping();
  commands.disconnect();
  await expect(sent).rejects.toThrow('Connection is closed.');
});
