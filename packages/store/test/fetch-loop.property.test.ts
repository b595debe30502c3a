import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FetchLoop } from '../src/queue/fetch-loop.ts';
import { Isolation } from '../src/queue/isolation.ts';
import { Slots } from '../src/queue/slots.ts';
import { type SimulatedJob, SimulatedNetwork, SimulatedQueue } from './support/simulated-queue.ts';

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('arrive' as const) },
  { weight: 2, arbitrary: fc.constantFrom('add' as const, 'end' as const) },
  { weight: 1, arbitrary: fc.constantFrom('calm' as const, 'bound' as const, 'pause' as const, 'resume' as const) },
);
const plans = fc.record({
  shards: fc.integer({ min: 1, max: 3 }),
  processes: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  /** `pick` chooses the object of the step; `turns`: the event loop turns before the next step. */
  steps: fc.array(fc.record({ step, pick: fc.nat(99), turns: fc.boolean() }), { minLength: 10, maxLength: 150 }),
});
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

/**
 * A loop was woken while a slot was free, but another loop had requested the slot before: it got none, and woke no
 * other process, so that the job waited beside a free slot.
 */
const promisedSlot: Plan = {
  shards: 3,
  processes: 2,
  concurrency: 1,
  steps: [
    { step: 'end', pick: 0, turns: false },
    { step: 'arrive', pick: 0, turns: false },
    { step: 'add', pick: 0, turns: false },
    { step: 'add', pick: 28, turns: false },
    { step: 'arrive', pick: 0, turns: false },
    { step: 'add', pick: 0, turns: false },
    { step: 'add', pick: 0, turns: false },
    { step: 'arrive', pick: 33, turns: false },
    { step: 'arrive', pick: 0, turns: false },
    { step: 'arrive', pick: 3, turns: false },
    { step: 'add', pick: 25, turns: false },
    { step: 'arrive', pick: 3, turns: false },
  ],
};

/** A process that takes jobs from all shards, into the slots of one agent. */
class Process {
  readonly slots: Slots;
  readonly #concurrency: number;
  readonly #loops: readonly FetchLoop<SimulatedJob>[];
  /** The running jobs; `end` ends a job, with or without an error. */
  readonly running: { readonly id: string; readonly end: (isFailed: boolean) => void }[] = [];
  leases = 0;
  isPaused = false;
  isStopped = false;

  constructor(name: string, concurrency: number, world: World) {
    this.#concurrency = concurrency;
    const isolation = new Isolation();
    this.slots = new Slots(concurrency, isolation.load);
    this.#loops = world.queues.map((queue, shard) => {
      const loop = new FetchLoop({
        queue,
        taker: `${name}:echo/${shard}`,
        take: (request) => queue.take(request, () => this.#hold()),
        wakeUp: { wait: () => queue.wait(), leave: () => undefined },
        slots: this.slots,
        isolation,
        run: (job) => this.#run(job, queue, world),
        onError: () => undefined,
      });
      loop.start();
      return loop;
    });
  }

  /** Whether the process has free slots. */
  get isFree(): boolean {
    return !this.isPaused && !this.isStopped && this.running.length < this.#concurrency;
  }

  pause(): void {
    this.isPaused = true;
    this.slots.close();
  }

  resume(): void {
    this.isPaused = false;
    this.slots.open();
  }

  async stop(): Promise<void> {
    this.slots.end();
    for (const loop of this.#loops) loop.stop();
    await Promise.all(this.#loops.map((loop) => loop.settled()));
    this.isStopped = true;
  }

  #hold(): Disposable {
    this.leases++;
    return { [Symbol.dispose]: () => void this.leases-- };
  }

  #run({ id }: SimulatedJob, queue: SimulatedQueue, world: World): Promise<void> {
    world.begin(id, this);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = (isFailed: boolean): void => {
      queue.finish(id);
      if (isFailed) reject(new Error('failed'));
      else resolve();
    };
    this.running.push({ id, end });
    return promise;
  }
}

class World {
  readonly network = new SimulatedNetwork();
  readonly queues: readonly SimulatedQueue[];
  readonly processes: readonly Process[];
  readonly #concurrency: number;
  readonly #begun = new Set<string>();
  readonly #problems: string[] = [];
  #added = 0;

  constructor({ shards, processes, concurrency }: Plan) {
    this.#concurrency = concurrency;
    this.queues = Array.from({ length: shards }, () => new SimulatedQueue(this.network));
    this.processes = Array.from({ length: processes }, (_, n) => new Process(`p${n}`, concurrency, this));
  }

  begin(id: string, process: Process): void {
    if (this.#begun.has(id)) this.#problems.push(`${id} was taken twice`);
    this.#begun.add(id);
    if (process.running.length >= this.#concurrency) this.#problems.push(`${id} has no slot`);
    if (process.isStopped) this.#problems.push(`${id} began in a process that had stopped`);
  }

  add(pick: number): void {
    this.queues[pick % this.queues.length]?.add(`job ${++this.#added}`);
  }

  end(pick: number): void {
    const processes = this.processes.filter(({ running }) => running.length > 0);
    const { running } = processes[pick % processes.length] ?? {};
    running?.splice(pick % running.length, 1)[0]?.end(pick % 5 === 0);
  }

  processOf(pick: number): Process | undefined {
    return this.processes[pick % this.processes.length];
  }

  /** Delivers all messages of the network, but ends no job and no wait: then no job may wait beside a free slot. */
  async calm(pick: number): Promise<void> {
    await eventLoopTurns();
    for (let n = 0; !this.network.isSilent; n++) {
      if (n > 5_000) throw new Error('the processes send commands without end');
      this.network.arrive(pick + n);
      await eventLoopTurns();
    }
    const waiting = this.queues.flatMap((queue) => queue.waiting);
    if (this.processes.some(({ isFree }) => isFree)) expect(waiting, 'jobs that wait beside free slots').toEqual([]);
    for (const { slots, running, leases } of this.processes)
      expect({ active: slots.active, leases }).toEqual({ active: running.length, leases: running.length });
    expect(this.#problems).toEqual([]);
  }

  /** Runs all jobs to their end, and stops the processes. */
  async finish(): Promise<void> {
    for (const process of this.processes) process.resume();
    await this.calm(0);
    while (this.processes.some(({ running }) => running.length > 0)) {
      this.end(1);
      await this.calm(0);
    }
    expect(this.#begun.size).toBe(this.#added);
    // A process requests a job while it stops.
    this.add(0);
    const stopped = Promise.all(this.processes.map((process) => process.stop()));
    await this.calm(0);
    await stopped;
    this.add(0);
    await this.calm(0);
  }
}

/** Two turns of the event loop, and those that a fetch loop lets pass before it waits. */
async function eventLoopTurns(): Promise<void> {
  for (let n = 0; n < 4; n++) await new Promise(setImmediate);
}

/** Runs all microtasks, as between two callbacks of one turn of the event loop. */
async function microtasksRun(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve));
  for (let n = 0; n < 50; n++) await undefined;
}

async function play(plan: Plan): Promise<void> {
  const world = new World(plan);
  for (const { step, pick, turns } of plan.steps) {
    if (step === 'arrive') world.network.arrive(pick);
    else if (step === 'add') world.add(pick);
    else if (step === 'end') world.end(pick);
    else if (step === 'calm') await world.calm(pick);
    else if (step === 'bound') world.queues[pick % world.queues.length]?.endWait();
    else if (step === 'pause') world.processOf(pick)?.pause();
    else world.processOf(pick)?.resume();
    await (turns ? eventLoopTurns() : microtasksRun());
  }
  await world.calm(0);
  await world.finish();
}

test('a job that waits while a slot is free is taken at once, and once, in any order of events', async () => {
  await fc.assert(fc.asyncProperty(plans, play), { numRuns: 600, examples: [[promisedSlot]] });
});
