import type { StreamResponse, Task, TurnEvent } from '@switchyard/protocol';
import type { Agent } from '../definition/agent.ts';
import type { CallOutcome } from '../port/call-port.ts';
import type { TurnResult } from '../port/outcome.ts';
import { type RunTurnOptions, runTurn } from '../run/run-turn.ts';
import { MemoryPort, type MemoryTurn } from './memory-port.ts';
import { MemoryWorld, type RunAgent } from './memory-world.ts';

export interface RunMessageOptions extends RunTurnOptions {
  /** Attempts at a turn, without backoff. Default: the agent's policy, or 3. */
  readonly maxAttempts?: number;
  /**
   * Crashes the worker of the first attempt after this many events, that of the second after the next number, …; the
   * next attempt takes over. To test that an agent does nothing twice: `crashesAfter: [2]`.
   */
  readonly crashesAfter?: readonly number[];
}

/** The result of a message. */
export interface MessageResult {
  /** Of the last attempt. */
  readonly port: MemoryPort;
  readonly result: TurnResult;
  /** Over all attempts. */
  readonly events: readonly StreamResponse[];
}

export interface MessageRun {
  /** Of the present attempt. */
  readonly port: () => MemoryPort;
  readonly done: Promise<MessageResult>;
}

/** Runs an agent over one message, attempt after attempt. */
export function startMessage(
  agent: Agent,
  turn: MemoryTurn,
  { maxAttempts = agent.retry.attempts ?? 3, crashesAfter = [], ...options }: RunMessageOptions,
): MessageRun {
  const attempt = (given: MemoryTurn, number: number): CrashingPort =>
    new CrashingPort(
      { ...given, agent: agent.id, attempt: number, isLastAttempt: number >= maxAttempts },
      crashesAfter[number - 1],
    );
  let port = attempt(turn, 1);

  async function run(): Promise<MessageResult> {
    const events: StreamResponse[] = [];
    for (;;) {
      const result = await runTurn(agent, port, options);
      events.push(...port.events);
      const goesOn = port.hasCrashed
        ? result.kind === 'interrupted'
        : result.kind === 'retry' && !port.input.isLastAttempt;
      if (!goesOn) return { port, result, events };
      port = attempt({ ...turn, message: port.input.message, task: port.current }, port.input.attempt + 1);
    }
  }

  return { port: () => port, done: run() };
}

/** The port of a worker that crashes: later events do not count. */
class CrashingPort extends MemoryPort {
  readonly #eventsBeforeCrash: number;
  hasCrashed = false;

  constructor(turn: MemoryTurn, eventsBeforeCrash = Number.POSITIVE_INFINITY) {
    super(turn);
    this.#eventsBeforeCrash = eventsBeforeCrash;
  }

  override async publish(event: TurnEvent): Promise<void> {
    await super.publish(event);
    if (this.published.length < this.#eventsBeforeCrash) return;
    this.hasCrashed = true;
    this.refuse();
    this.interrupt('taken-over');
  }
}

/** A world in which these agents can be called. */
export function worldOf(agents: readonly Agent[], options: RunMessageOptions = {}): MemoryWorld {
  const world = new MemoryWorld();
  for (const agent of agents) world.agents.set(agent.id, runIn(world, agent, options));
  return world;
}

function runIn(world: MemoryWorld, agent: Agent, options: RunMessageOptions): RunAgent {
  return ({ message, task, call, caller }) => {
    const { agent: _id, message: _message, isDetached: _detached, ...request } = call;
    const turn = { message, ...(task && { task }), ...request, caller, world };
    const { port, done } = startMessage(agent, turn, options);
    return { task: () => port().current, outcome: done.then(outcomeOf), cancel: () => port().interrupt('canceled') };
  };
}

/** The outcome of a called task, as a worker reports it. */
async function outcomeOf({ port, result }: MessageResult): Promise<CallOutcome> {
  if (result.kind === 'interrupted')
    await port.publish({ kind: 'status', state: 'TASK_STATE_CANCELED', settles: true });
  const { history: _, ...task }: Task = port.current;
  const last = port.published.at(-1);
  const reply = last?.kind === 'status' && last.isPlainMessage ? last.message : undefined;
  return { task, ...(reply && { reply }) };
}
