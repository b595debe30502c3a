import { createConnections, withDeadline } from '@switchyard/redis';
import { expect, inject, test } from 'vitest';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { Shards } from '../src/deployment/shards.ts';
import { Queues } from '../src/queue/queues.ts';

test('a connection has any number of queues, also those of requests, without a warning of a leak', async () => {
  const { commands } = createConnections({ redisUrl: inject('redisUrl') }, { isReplicated: false });
  await commands.connect();
  const warnings: string[] = [];
  const note = ({ name, message }: Error): void => void warnings.push(`${name}: ${message}`);
  process.on('warning', note);
  const forRequests = () =>
    withDeadline(commands, { ms: 5_000, health: { isAnswering: true, isAnsweringFor: () => true } });
  const shards = new Shards(uniquePrefix(), 4);
  for (const redis of [forRequests(), forRequests(), commands])
    expect(await new Queues(redis, shards).waiting('echo')).toBe(0);
  process.off('warning', note);
  commands.disconnect();
  expect(warnings).toEqual([]);
});
