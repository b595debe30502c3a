import {
  A2AError,
  eventWithoutTurn,
  isTerminal,
  type Message,
  requireMediaTypes,
  type StreamResponse,
  type Task,
  type UsageAmounts,
} from '@switchyard/protocol';
import type { Agent } from '../definition/agent.ts';
import type { Content } from '../messages/content.ts';
import type { OtherTask } from '../port/context-port.ts';
import type { ConversationEvent } from '../port/conversation-event.ts';
import type { LogLine } from '../port/log-line.ts';
import type { CountedUsage } from '../port/model-call.ts';
import type { TurnResult } from '../port/outcome.ts';
import { type ReadableWait, readableWait } from '../port/wait-port.ts';
import { type AttemptOptions, startTurn, type TurnEnding, worldOf } from './attempts.ts';
import { userMessage } from './memory-port.ts';
import type { MemoryWorld } from './memory-world.ts';
import { summaryOf, type TaskSummary } from './task-summary.ts';

/** Options of a turn in a test; all are optional. */
export interface RunTurnOptions extends AttemptOptions {
  /** Agents that this one may call. Default: none. */
  readonly agents?: readonly Agent[];
}

/**
 * Sends a message to an agent, and runs its turn to the end in memory: without Redis, queue or gateway.
 *
 *     const asked = await runTurn(booking, 'A table, please');
 *     const booked = await asked.say('We are 4');            // the next message of the task
 *     const second = await booked.newTask('One more table'); // another task of the same context
 *
 * Waits take no time: `turn.sleep` is skipped. A turn that waits for an event gets it from `events`, or ends here, with
 * `waits`:
 *
 *     const waiting = await runTurn(booking, 'A table tomorrow');
 *     const confirmed = await waiting.give('confirmation', { table: 4 }); // or skip(): it does not come in time
 *
 * A message is refused as by the gateway if the agent's card does not accept its media types, or the client none of the
 * agent's. Budgets are not checked, and prices are not known: `used` has what the agent used, and `spent` what the task has
 * cost, by the `microUsd` that the agent gives. `testGateway` checks budgets.
 * @throws {A2AError} ContentTypeNotSupported
 */
export async function runTurn(
  agent: Agent,
  message: Content | Message,
  options: RunTurnOptions = {},
): Promise<TestedTurn> {
  const { agents = [], ...own } = options;
  return new TestBench(agent, worldOf(agents, own), own).send({ message: userMessage(message) });
}

/** The result of a message, and methods that send the next one. */
export interface TestedTurn extends TaskSummary {
  /** The task as a client reads it. */
  readonly task: Task;
  /** The events of this turn as a subscriber gets them, of all its attempts, and also before its waits. */
  readonly events: readonly StreamResponse[];
  /** The result for the worker's log, with errors that no client sees. */
  readonly result: TurnResult;
  /** Lines that the agent wrote with `turn.log`, in all attempts, and also before its waits. */
  readonly log: readonly LogLine[];
  /** What the agent used of models, in all attempts, and also before its waits. */
  readonly used: readonly CountedUsage[];
  /** What the task has used of models so far, in all its turns, with all tasks below it: `turn.spent()`. */
  readonly spent: UsageAmounts;
  /** Messages of `steeredBy` that the turn did not take: in a deployment each runs next, as a turn of its own. */
  readonly untaken: readonly Message[];
  /** The tasks of the agents that were called, the first one first. */
  readonly calls: readonly OtherTask[];
  /** What the turn waits for, if it does: its events are not among `events` of the options, or it got them all. */
  readonly waits: readonly ReadableWait[];
  /** Files by their URLs: those that agents wrote, and those of the option `files`. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The events of each conversation that the agent held, by its id. */
  readonly conversations: ReadonlyMap<string, readonly ConversationEvent[]>;
  /**
   * Sends the next message of the task. The options are for this turn; by default they are those of the turn before,
   * except for crashes and cancels.
   * @throws {A2AError} UnsupportedOperation if the task has ended (A2A 3.1.1); ContentTypeNotSupported as `runTurn`
   */
  say(message: Content | Message, options?: AttemptOptions): Promise<TestedTurn>;
  /**
   * Gives the waiting turn an event, and lets it go on.
   * @throws {A2AError} as the gateway answers: the turn waits for other events, or the data do not match its schema
   */
  give(event: string, data?: unknown): Promise<TestedTurn>;
  /** Lets the time pass until the first of the turn's waits ends, and the turn goes on. */
  skip(): Promise<TestedTurn>;
  /** Starts another task in the same context: the agent finds its memory and the other tasks there. */
  newTask(message: Content | Message, options?: AttemptOptions): Promise<TestedTurn>;
}

/** An agent in a world, with the options of its next turn. */
class TestBench {
  readonly #agent: Agent;
  readonly #world: MemoryWorld;
  readonly #options: AttemptOptions;

  constructor(agent: Agent, world: MemoryWorld, options: AttemptOptions) {
    this.#agent = agent;
    this.#world = world;
    this.#options = options;
  }

  /** Runs the turn of a message that the client sends. @throws {A2AError} ContentTypeNotSupported */
  async send(turn: { readonly message: Message; readonly task?: Task }): Promise<TestedTurn> {
    const { card, extendedCard = card } = this.#agent;
    const { acceptedOutputModes } = this.#options;
    const configuration = acceptedOutputModes && { acceptedOutputModes: [...acceptedOutputModes] };
    requireMediaTypes(extendedCard, { message: turn.message, ...(configuration && { configuration }) });
    return this.run(turn);
  }

  /** @param before the turn until its wait, if it goes on */
  async run(turn: { readonly message: Message; readonly task?: Task }, before?: TurnEnding): Promise<TestedTurn> {
    const run = startTurn(this.#agent, { ...turn, world: this.#world }, this.#options);
    this.#world.add(this.#agent.id, run);
    const ending = await run.done;
    return this.#tested(before ? after(before, ending) : ending);
  }

  #tested(ending: TurnEnding): TestedTurn {
    const { port, result, events, logged, used, untaken } = ending;
    const waits = result.kind === 'suspended' ? result.waits : [];
    const { current: task } = port;
    return {
      task,
      ...summaryOf(task),
      events,
      result,
      log: logged,
      used,
      spent: this.#world.usage.total(task.id),
      untaken,
      calls: this.#world.calls(),
      waits: waits.map(readableWait),
      files: this.#world.files,
      conversations: this.#world.conversations,
      give: async (event, data) => {
        if (result.kind !== 'suspended')
          throw eventWithoutTurn(isTerminal(task.status.state) ? 'ended' : 'asks', task.id);
        await port.waits.check(event, data, { taskId: task.id, waits });
        port.waits.give(event, data);
        return this.#goOn(ending);
      },
      skip: () => {
        this.#world.clock.skipTo(Math.min(...waits.map(({ dueMs }) => dueMs)));
        return this.#goOn(ending);
      },
      say: async (message, options) => {
        if (isTerminal(task.status.state) && untaken.length === 0)
          throw new A2AError('UnsupportedOperation', 'The task has ended.');
        return this.#next(options).send({ message: userMessage(message), task });
      },
      newTask: (message, options) =>
        this.#next(options).send({ message: { ...contextOf(task), ...userMessage(message) } }),
    };
  }

  #goOn(ending: TurnEnding): Promise<TestedTurn> {
    const { input, current: task } = ending.port;
    return this.#next().run({ message: input.message, task }, ending);
  }

  #next(options: AttemptOptions = {}): TestBench {
    const { crashesAfter: _, cancelAfter: __, steeredBy: ___, events: ____, ...kept } = this.#options;
    return new TestBench(this.#agent, this.#world, { ...kept, ...options });
  }
}

/** The ending of a turn with what it did before its wait. */
function after({ events, logged, used }: TurnEnding, ending: TurnEnding): TurnEnding {
  return {
    ...ending,
    events: [...events, ...ending.events],
    logged: [...logged, ...ending.logged],
    used: [...used, ...ending.used],
  };
}

function contextOf({ contextId }: Task): Pick<Message, 'contextId'> {
  return contextId === undefined ? {} : { contextId };
}
