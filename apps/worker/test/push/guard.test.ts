import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { working } from './support/events.ts';
import { Receiver } from './support/receiver.ts';
import { Stage } from './support/stage.ts';

/** Allows calls to 127.0.0.2 only: in these tests 127.0.0.1 is the victim that must not be called. */
const policy = { allowHttp: true, allowHosts: ['127.0.0.2'] };

const reasonsOf = (stage: Stage): string[] => [
  ...new Set(stage.happened('push-dead-letter').map(({ reason }) => reason)),
];

describe('a webhook whose host', () => {
  test.each([
    ['is at a private address', ['10.0.0.1']],
    ['is at this machine', ['127.0.0.1']],
    ['is the metadata service of a cloud', ['169.254.169.254']],
    ['is at a private address behind NAT64', ['64:ff9b::10.0.0.1']],
    ['has an allowed and a forbidden address', ['127.0.0.2', '127.0.0.1']],
    ['has no address', []],
  ])('%s is not called', async (_, addresses) => {
    await using stage = await Stage.open({ push: { policy }, resolve: async () => addresses });
    await using victim = await new Receiver().open();
    await stage.task({ id: 'a', url: `http://hooks.test:${victim.port}/` });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(reasonsOf(stage)).toEqual(['hooks.test is at an address that may not be called']);
    expect(victim.connections).toBe(0);
  });

  test('is an IP address in any notation obeys the same rules', async () => {
    await using stage = await Stage.open({ push: { policy } });
    await using victim = await new Receiver().open();
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])
      await stage.task({ id: host, url: `http://${host}:${victim.port}/` });
    await until(() => stage.happened('push-dead-letter').length === 4, { what: 'four dead letters' });
    expect(victim.connections).toBe(0);
  });

  test('redirects to a forbidden address is not followed', async () => {
    await using stage = await Stage.open({ push: { policy } });
    await using victim = await new Receiver().open();
    await using receiver = await new Receiver('127.0.0.2').open();
    receiver.behave = (_, __, res) => {
      res.setHeader('Location', victim.url);
      return 307;
    };
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(reasonsOf(stage)).toEqual(['the receiver answered 307, a redirect, which is not followed']);
    expect(victim.connections).toBe(0);
  });

  test('is resolved once for each connection, which goes to the resolved address (no DNS rebinding)', async () => {
    await using receiver = await new Receiver('127.0.0.2').open();
    await using victim = await new Receiver('127.0.0.1').open(receiver.port);
    const answers = ['127.0.0.2', '127.0.0.1'];
    let asked = 0;
    await using stage = await Stage.open({ push: { policy }, resolve: async () => [answers[asked++] ?? '127.0.0.1'] });
    receiver.behave = (_, __, res) => {
      res.setHeader('Connection', 'close');
      return 200;
    };
    const taskId = await stage.task({ id: 'a', url: `http://hooks.test:${receiver.port}/` });
    await until(() => receiver.taken.length === 1, { what: 'the first delivery' });
    expect(asked).toBe(1);
    expect(receiver.taken[0]?.headers.host).toBe(`hooks.test:${receiver.port}`);
    await (await stage.begin(taskId)).publish(working('one'));
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(asked).toBe(6);
    expect(victim.connections).toBe(0);
    expect(receiver.requests).toHaveLength(1);
  });

  test('answers only at its second address is called there', async () => {
    await using receiver = await new Receiver('127.0.0.2').open();
    const allowHosts = ['127.0.0.2', '127.0.0.3'];
    const resolve = async (): Promise<string[]> => ['127.0.0.3', '127.0.0.2'];
    await using stage = await Stage.open({ push: { policy: { allowHttp: true, allowHosts } }, resolve });
    await stage.task({ id: 'a', url: `http://hooks.test:${receiver.port}/` });
    await until(() => receiver.taken.length === 1, { what: 'a delivery' });
  });

  test('uses TLS is called at the checked address, with its name in SNI', async () => {
    const names: string[] = [];
    const server = createServer({
      SNICallback: (name, callback) => {
        names.push(name);
        callback(new Error('no certificate in this test'));
      },
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve));
    const { port } = server.address() as AddressInfo;
    await using stage = await Stage.open({ push: { policy, maxAttempts: 1 }, resolve: async () => ['127.0.0.2'] });
    await stage.task({ id: 'a', url: `https://hooks.test:${port}/` });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(names).toEqual(['hooks.test']);
    server.close();
  });
});
