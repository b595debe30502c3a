import { Ops } from '@switchyard/operators';
import { Deliveries } from '@switchyard/push';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../tests/support/until.ts';
import { outcomeOfError } from '../../src/push/outcome.ts';
import { working } from './support/events.ts';
import { Receiver } from './support/receiver.ts';
import { Stage } from './support/stage.ts';

describe('a delivery that fails', () => {
  test.each([500, 503, 408, 425, 429])(
    'with status %i is retried until it succeeds, before the next event is delivered',
    async (status) => {
      await using stage = await Stage.open();
      await using receiver = await new Receiver().open();
      receiver.behave = (_, nth) => (nth <= 3 ? status : 200);
      const taskId = await stage.task({ id: 'a', url: receiver.url });
      await (await stage.begin(taskId)).publish(working('one'));
      await until(() => receiver.taken.length === 2, { what: 'two deliveries' });
      expect(receiver.requests.map(({ mark }) => mark)).toEqual(['1', '1', '1', '1', '2']);
      expect(stage.happened('push-failed').map(({ attempts, reason }) => [attempts, reason])).toEqual(
        [1, 2, 3].map((attempt) => [attempt, `the receiver answered ${status}`]),
      );
    },
  );

  test('is not retried before the Retry-After of the receiver has passed', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    const at: number[] = [];
    receiver.behave = (_, nth, res) => {
      at.push(performance.now());
      res.setHeader('Retry-After', '1');
      return nth === 1 ? 503 : 200;
    };
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => receiver.taken.length === 1, { what: 'a delivery' });
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(990);
  });

  test('is retried after a delay that doubles each time', async () => {
    await using stage = await Stage.open({ push: { backoffMs: 10 } });
    await using receiver = await new Receiver().open();
    receiver.behave = (_, nth) => (nth <= 4 ? 429 : 200);
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => receiver.taken.length === 1, { what: 'a delivery' });
    stage.happened('push-failed').forEach(({ retryInMs }, i) => {
      expect(retryInMs).toBeGreaterThanOrEqual(5 * 2 ** i);
      expect(retryInMs).toBeLessThanOrEqual(10 * 2 ** i + 1);
    });
  });

  test.each([
    ['ENOTFOUND', 'no machine has the name in its URL (ENOTFOUND)'],
    ['ECONNREFUSED', 'nothing listens at its port (ECONNREFUSED)'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['CERT_HAS_EXPIRED', 'its certificate has expired (CERT_HAS_EXPIRED)'],
    ['EHOSTUNREACH', 'EHOSTUNREACH'],
  ])('has the meaning of its code in its reason: %s', (code, text) => {
    const error = Object.assign(new Error('no'), { code });
    expect(outcomeOfError(error)).toMatchObject({ reason: `the receiver could not be reached: ${text}` });
  });

  test('because the answer is not HTTP says so', () => {
    const error = Object.assign(new Error('no'), { name: 'HTTPParserError', code: 'HPE_INVALID_CONSTANT' });
    expect(outcomeOfError(error)).toMatchObject({ reason: 'the answer of the receiver is not HTTP' });
  });

  test('because the receiver does not answer in time is retried', async () => {
    await using stage = await Stage.open({ push: { timeoutMs: 50 } });
    await using receiver = await new Receiver().open();
    let release = (): void => undefined;
    receiver.behave = (_, nth) => (nth === 1 ? new Promise((resolve) => (release = () => resolve(200))) : 200);
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => receiver.requests.length === 2, { what: 'a second attempt' });
    expect(stage.happened('push-failed')).toMatchObject([{ reason: 'the receiver did not answer in time' }]);
    release();
  });

  test('because the receiver closes the connection or answers without HTTP is retried', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    receiver.behave = (_, nth, res) => {
      if (nth === 1) res.destroy();
      if (nth === 2) res.socket?.end('this is not HTTP\r\n\r\n');
      return 200;
    };
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => receiver.requests.length === 3, { what: 'a third attempt' });
  });

  test('is not failed by a body that never ends: the status 200 counts', async () => {
    await using stage = await Stage.open({ push: { timeoutMs: 5_000 } });
    await using receiver = await new Receiver().open();
    receiver.behave = (_, nth, res) => {
      if (nth > 1) return 200;
      res.writeHead(200);
      res.write('x'.repeat(1_000_000));
      return new Promise(() => undefined);
    };
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    await (await stage.begin(taskId)).publish(working('one'));
    await until(() => receiver.taken.length === 1, { what: 'the next delivery', timeoutMs: 3_000 });
    expect(receiver.requests.map(({ mark }) => mark)).toEqual(['1', '2']);
  });
});

describe('a webhook', () => {
  test('tells operators its status, and the beginning of the response without what was sent', async () => {
    await using stage = await Stage.open({ push: { maxAttempts: 3, backoffMs: 50_000 } });
    await using receiver = await new Receiver().open();
    receiver.behave = (_, __, res) => {
      res.statusCode = 503;
      res.write(`no such token: my-own-token\u0000, https://ada:pw@shop.example/x?y=1 ${'long '.repeat(1_000)}`);
      return 503;
    };
    const taskId = await stage.task({ id: 'a', url: receiver.url, token: 'my-own-token' });
    const delivery = await until(
      async () => {
        const detail = await new Ops(stage.store).tasks.detail(taskId, { hasTimeline: true });
        const [one] = detail?.timeline?.deliveries ?? [];
        return one?.lastFailure && one;
      },
      { what: 'the failure is stored' },
    );
    expect(delivery).toMatchObject({ state: 'waiting', attempts: 1, nextAt: expect.any(String) });
    const { response = '', ...failure } = delivery.lastFailure ?? { at: '', reason: '' };
    expect(failure).toEqual({ at: expect.any(String), status: 503, reason: 'the receiver answered 503' });
    expect(response).toMatch(/^no such token: \[left out\] , https:\/\/shop\.example long long/);
    expect(Buffer.byteLength(response)).toBeLessThanOrEqual(256);
  });

  test('is dead-lettered after maxAttempts; retried by an operator, it continues with the failed event', async () => {
    await using stage = await Stage.open({ push: { maxAttempts: 3 } });
    await using receiver = await new Receiver().open();
    receiver.behave = () => 500;
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    await (await stage.begin(taskId)).publish(working('one'));
    expect(receiver.requests).toHaveLength(3);
    const [letter] = await stage.deadLetters();
    expect(letter).toMatchObject({
      taskId,
      configId: 'a',
      origin: new URL(receiver.url).origin,
      reason: 'the receiver answered 500',
      attempts: 3,
    });
    receiver.behave = () => 200;
    await new Ops(stage.store).deadLetters.retry(letter?.id ?? '');
    await until(() => receiver.taken.length === 2, { what: 'all deliveries' });
    expect(receiver.marks()).toEqual(['1', '2']);
    expect(await stage.deadLetters()).toEqual([]);
  });

  test('is dead-lettered when a delivery has been retried for maxAgeMs', async () => {
    await using stage = await Stage.open({ push: { maxAgeMs: 100 } });
    await using receiver = await new Receiver().open();
    receiver.behave = () => 429;
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(receiver.requests.length).toBeLessThan(30);
  });

  test.each([400, 401, 404, 422, 301, 307])('whose receiver answers %i is dead-lettered soon', async (status) => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    await using target = await new Receiver().open();
    receiver.behave = (_, __, res) => {
      res.setHeader('Location', target.url);
      return status;
    };
    await stage.task({ id: 'a', url: receiver.url });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(receiver.requests).toHaveLength(5);
    expect(target.requests).toHaveLength(0);
  });

  test('whose receiver answers 410 is deleted', async () => {
    await using stage = await Stage.open();
    await using receiver = await new Receiver().open();
    receiver.behave = () => 410;
    const taskId = await stage.task({ id: 'a', url: receiver.url });
    await until(() => stage.happened('push-ended').length, { what: 'the end of the webhook' });
    await (await stage.begin(taskId)).publish(working('one'));
    expect(await new Deliveries(stage.store.inside).claim()).toBe(0);
    expect(receiver.requests).toHaveLength(1);
    expect(await stage.deadLetters()).toEqual([]);
  });

  test('that was encrypted with an unknown secret is delivered once a worker has the secret', async () => {
    const pushSecrets = ['a secret'];
    await using gateway = await Stage.withoutDeliverer({ pushSecrets });
    const { prefix } = gateway.store.settings;
    await using receiver = await new Receiver().open();
    await gateway.task({ id: 'a', url: receiver.url });
    {
      await using withoutSecret = await Stage.open({ store: { prefix } });
      await until(() => withoutSecret.happened('push-failed').some(({ reason }) => /cannot be read/.test(reason)), {
        what: 'a failure to decrypt it',
      });
    }
    await using _withSecret = await Stage.open({ store: { prefix, pushSecrets } });
    await until(() => receiver.taken.length === 1, { what: 'a delivery' });
  });
});

describe('a host that is down', () => {
  test('is not called by any of its webhooks while its circuit is open; all deliver when it is up again', async () => {
    await using stage = await Stage.open({ push: { backoffMs: 1, maxBackoffMs: 100 } });
    await using receiver = await new Receiver().open();
    receiver.behave = () => 500;
    for (let i = 0; i < 30; i++) await stage.task({ id: `${i}`, url: receiver.url });
    const skipped = (): number =>
      stage.happened('push-failed').filter(({ reason }) => reason === 'the receiving host is down').length;
    await until(() => skipped() > 20, { what: 'the circuit to open' });
    expect(receiver.requests.length).toBeLessThan(25);
    receiver.behave = () => 200;
    await until(() => receiver.taken.length === 30, { what: 'all deliveries' });
  });
});

describe('the events and the dead letter of a failed delivery', () => {
  test('contain no token, no credentials and no query of the URL', async () => {
    await using stage = await Stage.open({ push: { maxAttempts: 2 } });
    await using receiver = await new Receiver().open();
    receiver.behave = () => 500;
    const authentication = { scheme: 'Bearer', credentials: 'hush-credentials' };
    await stage.task({ id: 'a', url: receiver.url, token: 'hush-token', authentication });
    await until(() => stage.happened('push-dead-letter').length, { what: 'the dead letter' });
    expect(JSON.stringify([stage.events, await stage.deadLetters()])).not.toContain('hush');
  });
});
