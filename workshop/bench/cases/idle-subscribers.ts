import { setTimeout as delay } from 'node:timers/promises';
import { startProgram } from '../../../tests/support/process.ts';
import { residentBytes } from '../../../tests/support/process-usage.ts';
import type { FanOut } from '../drivers/subscribers.ts';
import { sendMessage } from '../measure/rpc.ts';
import type { BenchCase } from './bench-case.ts';

const SUBSCRIBERS = 10_000;

export const idleSubscribers: BenchCase = {
  id: 'idle-subscribers',
  title: 'Memory of the gateway for each of 10,000 idle subscribers',
  async run(stage) {
    await stage.withWorker();
    const gateway = await stage.freshGateway();
    const { id } = await sendMessage(gateway.url, 'ask');
    const before = residentBytes(gateway.pid);
    const load: FanOut = { url: gateway.url, taskId: id, subscribers: SUBSCRIBERS, messages: 0 };
    const clients = await startProgram({ file: 'workshop/bench/drivers/subscribers.ts', args: [JSON.stringify(load)] });
    await clients.waitFor(/subscribed/, 120_000);
    await delay(2_000); // the last sockets settle
    const kilobytes = (residentBytes(gateway.pid) - before) / SUBSCRIBERS / 1_024;
    await clients.stop();
    await gateway.stop();
    await stage.clear();
    const values = { Switchyard: [kilobytes] };
    return { unit: 'KB', values, ratios: {}, ours: 'Switchyard', bars: [{ at: 'most', value: 25 }] };
  },
};
