import type { EmbeddedRedis } from '../processes/embedded-redis.ts';
import { isPortTaken } from '../processes/free-port.ts';
import type { Guarded } from '../processes/guard.ts';
import { type ProgramSettings, startBeside, startGateway, startWorker } from './programs.ts';
import type { StopSignals } from './stop-signals.ts';
import { type Supervision, supervise } from './supervise.ts';
import type { Speaker, Terminal } from './terminal.ts';
import { untilReady } from './until-ready.ts';

/** From Ctrl-C to the prompt in 5 s: the programs first, Redis last, since the worker hands its work back through it. */
const programsStopWithinMs = 4_000;
const redisStopsWithinMs = 900;

export interface Run {
  readonly settings: ProgramSettings;
  /** Printed once everything runs. */
  readonly greeting: string;
  /** Left out when the Redis is the user's own. */
  readonly embedded: EmbeddedRedis | undefined;
  readonly terminal: Terminal;
  readonly signals: StopSignals;
}

/** Runs everything until it is asked to stop. Throws when a part of it does not stay up. Leaves no process behind. */
export async function runUntilStopped({ settings, greeting, embedded, terminal, signals }: Run): Promise<void> {
  const { host, port, env } = settings;
  await requireFree(host, { PORT: port, GRPC_PORT: Number(env?.GRPC_PORT) });
  const keepRunning = (name: Speaker, start: () => Promise<Guarded>): Supervision =>
    supervise({ name, start, say: (text) => terminal.say('switchyard', text) });

  const redis = embedded ? [keepRunning('redis', embedded.start)] : [];
  await Promise.all(redis.map(({ started }) => started));
  const keepHeard = (name: Speaker, start: () => Promise<Guarded>): Supervision =>
    keepRunning(name, heard(terminal, name, start));
  const { beside } = settings;
  const programs = [
    ...(beside ? [keepHeard('beside', () => startBeside(beside, settings))] : []),
    keepHeard('gateway', () => startGateway(settings)),
    keepHeard('worker', () => startWorker(settings)),
  ];
  announceWhenReady();
  try {
    await Promise.race([aborted(signals.asked), ...[...programs, ...redis].map(({ ended }) => ended)]);
    terminal.say('switchyard', 'stopping (Ctrl-C again to stop at once)');
  } finally {
    signals.insisted.addEventListener('abort', () => [...programs, ...redis].map((part) => part.stop(0)));
    await Promise.all(programs.map((part) => part.stop(programsStopWithinMs)));
    await Promise.all(redis.map((part) => part.stop(redisStopsWithinMs)));
  }

  async function announceWhenReady(): Promise<void> {
    if (await untilReady(`http://${host}:${port}`, signals.asked)) terminal.print(greeting);
  }
}

/** A port of 0, or one that is off, is nobody's. */
async function requireFree(host: string, ports: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) {
    if (port > 0 && (await isPortTaken(port, host))) {
      throw new Error(`port ${port} is taken. Choose another one: ${name}=${port + 1} npm start`);
    }
  }
}

function heard(terminal: Terminal, name: Speaker, start: () => Promise<Guarded>): () => Promise<Guarded> {
  return async () => {
    const child = await start();
    terminal.listenTo(name, child);
    return child;
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
