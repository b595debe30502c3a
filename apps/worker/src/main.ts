import { Store, StoreError } from '@switchyard/store';
import { pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { AgentModuleError, loadAgents } from './load-agents.ts';
import { MetricsPort } from './metrics/metrics-port.ts';
import { logTo, type Observe } from './observe.ts';
import { Worker } from './worker.ts';

async function main(): Promise<void> {
  const config = readConfig(process.env, process.argv.slice(2));
  const log = pino({ name: 'worker', level: config.logLevel });
  const toLog = logTo(log);
  const metricsPort = config.metrics && new MetricsPort(config.metrics);
  const observe: Observe = (happening) => {
    toLog(happening);
    metricsPort?.metrics.observe(happening);
  };
  const agents = await loadAgents(config.agentModules);
  const store = new Store(config.store, (error) => observe({ kind: 'trouble', where: 'redis', error }));
  await store.start();
  const worker = new Worker(config.worker, { store, agents, observe });
  await worker.start();
  if (metricsPort) observe({ kind: 'measuring', port: await metricsPort.open() });

  const stop = async (): Promise<void> => {
    await worker.stop();
    await metricsPort?.close();
    await store.stop();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop().catch((error: unknown) => {
        log.error({ err: error }, 'stop failed');
        process.exitCode = 1;
      });
    });
  }
}

main().catch((error: unknown) => {
  const isExplained = error instanceof ConfigError || error instanceof StoreError || error instanceof AgentModuleError;
  process.stderr.write(`${isExplained ? error.message : error instanceof Error ? error.stack : error}\n`);
  process.exit(1);
});
