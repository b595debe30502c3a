import type { Message, Metadata, Part, StatusEvent, TaskState, TurnEvent, UsageAmounts } from '@switchyard/protocol';
import type { CallReply, TaskReply } from '../calls/call-reply.ts';
import type { CallOptions } from '../calls/outgoing-call.ts';
import { type Joinable, type JoinOptions, TurnCalls } from '../calls/turn-calls.ts';
import { waitingMetadata } from '../calls/waiting-call.ts';
import { ContextMemory } from '../context/context-memory.ts';
import type { ConversationOptions, ConversationResult } from '../conversations/conversation-options.ts';
import { holdConversation } from '../conversations/hold-conversation.ts';
import type { DataSchema } from '../data/data-schema.ts';
import { TurnFiles } from '../files/turn-files.ts';
import { TurnJournal } from '../journal/turn-journal.ts';
import { suppressUnhandled } from '../journal/turn-scope.ts';
import { agentMessage, type Content } from '../messages/content.ts';
import { artifactId, turnMessageId } from '../messages/derived-id.ts';
import type { Room } from '../pace/turn-pace.ts';
import type { OtherTask, OtherTasksOptions } from '../port/context-port.ts';
import type { FileContent } from '../port/file-port.ts';
import type { CountedUsage } from '../port/model-call.ts';
import type { Outcome } from '../port/outcome.ts';
import { TurnMisuseError } from '../port/turn-errors.ts';
import type { TurnPort } from '../port/turn-port.ts';
import type { Steering } from '../steering/steering.ts';
import type { StepOptions } from '../steps/step-options.ts';
import { type AroundStep, type StepFunction, TurnSteps } from '../steps/turn-steps.ts';
import type { Duration } from '../waits/duration.ts';
import { type SleepOptions, TurnWaits, type WaitOptions } from '../waits/turn-waits.ts';
import { type ArtifactOptions, ArtifactWriter } from './artifact-writer.ts';
import { TurnLog } from './turn-log.ts';
import { TurnView } from './turn-view.ts';

/** Options of a status, besides its message. */
export interface StatusOptions {
  /** Merged into the metadata of the task (A2A 4.2.1). */
  readonly metadata?: Metadata;
}

/**
 * One run of an agent on one message of a task: its input, and the methods that publish.
 *
 * Events reach subscribers in the order of the calls, and are stored in the task. A status with a message is durable
 * when its promise resolves, and so are all events before it; chunks of artifacts, and a `working()` without a message,
 * resolve earlier, so that many can be written together. Exactly one outcome ends a turn: `complete`, `requireInput`,
 * `requireAuth`, `reject`, `fail` or `reply`; return it from `execute`.
 *
 *     export default defineAgent({
 *       id: 'desk',
 *       card: { name: 'Desk', description: 'Takes orders.', version: '1.0.0', skills: [] },
 *       async execute(turn) {
 *         await turn.working('Looking up the menu');
 *         return turn.complete(`One ${turn.text}, please.`);
 *       },
 *     });
 *
 * Every publishing method rejects with
 * - `TurnMisuseError` after the outcome, and for content without a part;
 * - `TurnEnded` once the turn no longer owns its task (canceled, timed out, taken over): do not catch it, the worker
 *   handles it.
 */
export class Turn<Input = unknown> extends TurnView<Input> {
  readonly #port: TurnPort;
  readonly #journal: TurnJournal;
  readonly #steps: TurnSteps;
  readonly #calls: TurnCalls;
  readonly #waits: TurnWaits;
  readonly #files: TurnFiles;
  /** This agent's memory for the context, which outlives its tasks. */
  readonly memory: ContextMemory;
  /** The operators' log: `turn.log.info('The order is taken', { order: 17 })`. */
  readonly log: TurnLog;

  /** @param given by the agent's definition. `input` is that of the task; a test without a schema need not have it */
  constructor(
    port: TurnPort,
    journal: TurnJournal = new TurnJournal(port),
    given: { readonly input?: Input; readonly aroundStep?: AroundStep } = {},
  ) {
    super(port.input, given.input as Input);
    this.#port = port;
    this.#journal = journal;
    this.#steps = new TurnSteps(port, journal, given.aroundStep);
    this.#calls = new TurnCalls(port, journal);
    this.#waits = new TurnWaits(port, journal);
    this.#files = new TurnFiles(port, journal);
    this.memory = new ContextMemory(port, journal);
    this.log = new TurnLog((line) => port.log(line));
  }

  /**
   * Aborted when the turn must stop; pass it to every function that takes a signal. Its reason is a `TurnInterruption`.
   * The agent then has 5 s to clean up.
   */
  get signal(): AbortSignal {
    return this.#journal.signal;
  }

  /**
   * The messages that arrive while this turn runs, for an agent that is defined with `whileWorking: 'steer'`:
   *
   *     for await (const message of turn.steering) await turn.working(`Understood: ${textOf(message)}`);
   *
   * @throws {TurnMisuseError} the agent is not defined so
   */
  get steering(): Steering {
    const { steering } = this.#journal;
    if (!steering)
      throw new TurnMisuseError(
        `No messages come while "${this.agentId}" works: define it with whileWorking: 'steer'.`,
      );
    return steering;
  }

  /** The durable outcome of the turn. `requireAuth` does not end the turn: the agent may go on with the credential. */
  get outcome(): Outcome | undefined {
    return this.#journal.outcome;
  }

  /**
   * Reports progress, with a message for the client if there is one: TASK_STATE_WORKING.
   *
   *     await turn.working('Looking up the menu');
   */
  working(content?: Content, options?: StatusOptions): Promise<void> {
    return this.#publishStatus('TASK_STATE_WORKING', content, { settles: false, ...options });
  }

  /**
   * Answers the client that waits for this turn with the working task; the turn goes on, and the client polls or
   * subscribes.
   *
   *     await turn.acknowledge('I am on it. It takes an hour.');
   */
  acknowledge(content: Content, options?: StatusOptions): Promise<void> {
    return this.#publishStatus('TASK_STATE_WORKING', content, { settles: false, answersCaller: true, ...options });
  }

  /**
   * Begins an artifact; nothing is published before its first chunk (A2A 4.1.7).
   *
   *     const report = turn.artifact({ name: 'Report', mediaType: 'text/markdown' });
   *     await report.append('# Report\n');
   *     await report.finish('All is well.');
   */
  artifact(options: ArtifactOptions): ArtifactWriter {
    const { name } = options;
    const { scope } = this.#journal;
    const origin = {
      messageId: this.message.messageId,
      name,
      step: scope.step,
      ordinal: scope.number('artifact', name),
    };
    const id = options.artifactId ?? artifactId(origin);
    return new ArtifactWriter({ journal: this.#journal, files: this.#files }, id, options);
  }

  /**
   * Opens a part as a stream of bytes, whatever form it has: a text, `raw`, data as JSON, the URL of a file of this
   * deployment, or the URL of anybody, which is fetched only at allowed addresses (docs/files.md).
   *
   *     const [part] = turn.message.parts;
   *     let bytes = 0;
   *     if (part) for await (const chunk of (await turn.file(part)).stream) bytes += chunk.length;
   *
   * @throws {AgentError} there is no such file, it may not be read, or it is larger than MAX_FILE_BYTES
   * @throws {RetryableError} it cannot be read now; also while the stream is read
   */
  file(part: Part): Promise<FileContent> {
    return suppressUnhandled(this.#files.open(part));
  }

  /**
   * The parts with the content of files of this deployment, as `raw`, instead of their URLs: for code and services that
   * cannot read these, because only the client has the credentials. Other parts stay as they are.
   *
   *     const parts = await turn.inlineFiles(turn.message.parts);
   *     await fetch('https://print.example/', { method: 'POST', body: JSON.stringify(parts), signal: turn.signal });
   *
   * @param maxBytes of all these files together; default 20 MiB. They are whole in memory
   * @throws {AgentError} they are larger
   */
  inlineFiles(parts: readonly Part[], maxBytes: number = 20 * 1024 * 1024): Promise<Part[]> {
    return suppressUnhandled(this.#files.inline(parts, maxBytes));
  }

  /**
   * Publishes an event of other code, such as an agent of another framework: it is validated, ordered and stored like
   * any other. A status that settles is the outcome of the turn; `outcome` has it once it is durable.
   *
   *     await turn.publish({ kind: 'status', state: 'TASK_STATE_WORKING', settles: false });
   */
  publish(event: TurnEvent): Promise<void> {
    return this.#journal.write(() => event);
  }

  /**
   * Runs `execute` once for this message, even if workers die: its result is stored, and a retried turn gets it instead
   * of running `execute` again. Its events are not published twice. It runs again only if an attempt ended before the
   * result was stored.
   *
   *     const ask = ({ signal }: StepAttempt) => askPrice(turn.text, signal);
   *     const price = await turn.step('price', ask, { attempts: 4, timeoutMs: 5_000 });
   *
   * **An error of `execute`**, whether a plain `Error` or a `RetryableError`, fails the step at once, and the step
   * throws it, unless there are `attempts` left: then the step is retried within this turn, after a backoff or the
   * error's `retryAfterMs`; a delay of more than 5 s suspends the turn, see `sleep`. If the agent does not catch it, it does to the turn what any error does: a `RetryableError`
   * retries the turn, by the agent's `retry`; a plain `Error` fails the task. Engines for workflows retry every error;
   * here a client waits for the answer, most plain errors are mistakes that the next attempt repeats, and each attempt
   * may ask a model again: so a retry is asked for.
   *
   * The result is JSON of at most 256 KiB, and is returned as parsed from JSON. An artifact is written by one step, or
   * by none.
   * @param name unique within the turn; the same in every attempt
   * @param execute gets the number of its attempt, and a signal that is aborted at `timeoutMs` and with the turn
   * @throws {TurnMisuseError} the name is taken, an option is out of range, or the result is not JSON or too large
   * @throws {StepTimedOut} the last attempt took longer than `timeoutMs`
   */
  step<T>(name: string, execute: StepFunction<T>, options?: StepOptions): Promise<T> {
    return suppressUnhandled(this.#steps.run(name, execute, options));
  }

  /**
   * Counts what the turn has used of a model, for its task, for the tasks that called it, and for the day of its tenant
   * and agent (docs/extensions/usage.md). Executors count their own requests; call it for a client of your own. What a
   * retried turn uses again counts again, unless it is in a step or has a `key`. Resolves when it is stored.
   *
   *     await turn.usage({ model: 'small', inputTokens: 12, outputTokens: 96 });
   * @throws {TurnMisuseError} an amount is no whole number from 0
   */
  usage(usage: CountedUsage): Promise<void> {
    return suppressUnhandled(this.#recordUsage(usage));
  }

  /**
   * What the task has used of models so far, in all its turns and attempts, with all tasks that it called, and theirs.
   * Amounts that are 0 are left out. A retried turn reads more than the attempt before: decide in a step what must not
   * change.
   *
   *     const { microUsd = 0 } = await turn.spent();
   *     const model = microUsd < 500_000 ? 'large' : 'small';
   */
  spent(): Promise<UsageAmounts> {
    return this.#journal.runEffect(async () => (await this.#port.spent?.()) ?? {});
  }

  /**
   * Waits for a time, which may be long: `await turn.sleep('3 days')`. A wait of more than a second suspends the turn:
   * this run of `execute` ends here, and holds no slot, no memory and no process. When the time has come, any worker
   * runs `execute` again from the top, with the results of its steps, calls and waits; so put work that must not be
   * repeated into `turn.step`. It spends no attempt, and `turnTimeoutMs` begins again.
   *
   * The promise of a wait that suspends the turn never settles, as in Inngest, Restate and Vercel's workflows: no
   * `catch` or `finally` around it runs, so none can mistake the end of this run for an error. Code beside the wait that
   * is no step, such as a request without `await`, is stopped by `turn.signal`, with the reason `suspended`; while a
   * step or a call runs, the turn is not suspended. A process that only sleeps, as with DBOS, would be held for days.
   *
   *     await turn.sleep('3 days');
   *     await turn.step('remind', () => turn.log.info('Three days have passed.'));
   * @param duration milliseconds, or a text such as `'90 s'`, `'2 hours'`, `'1 h 30 min'`, `'3 days'`; at most 100 years
   * @throws {TurnMisuseError} it is no duration, or the code is in a step
   */
  sleep(duration: Duration, options?: SleepOptions): Promise<void> {
    return suppressUnhandled(this.#waits.sleep(duration, options));
  }

  /**
   * As `sleep`, until a date. The date of the first run counts, if another run gives another one.
   *
   *     await turn.sleepUntil(new Date('2030-01-31T09:00:00Z'));
   */
  sleepUntil(date: Date, options?: SleepOptions): Promise<void> {
    return suppressUnhandled(this.#waits.sleepUntil(date, options));
  }

  /**
   * Waits for an event from outside, suspended as in `sleep`, and returns its data:
   *
   *     const payment = await turn.waitFor('payment', { timeout: '3 days' });
   *     return turn.complete(`Paid: ${JSON.stringify(payment)}`);
   *
   * It is given with `POST /tasks/<id>/events/payment`, `switchyard task event`, in the console, or by `callbackUrl`. An
   * event that comes before the wait is kept for it. An event that is given twice is taken once. Each wait takes one
   * event; the next `waitFor` of this name waits for the next one.
   * @param event its name: letters, digits, hyphens, underscores and dots, at most 64
   * @throws {EventError} `timed-out`: none came in time; `unexpected-data`: its data does not match `schema`
   */
  waitFor<Data>(event: string, options: WaitOptions & { schema: DataSchema<Data> }): Promise<Data>;
  waitFor(event: string, options?: WaitOptions): Promise<unknown>;
  waitFor(event: string, options?: WaitOptions): Promise<unknown> {
    return suppressUnhandled(this.#waits.waitFor(event, options));
  }

  /**
   * A URL for a service that only knows webhooks: what it posts there, JSON or text, is the data of an event for
   * `waitFor`. Everyone who knows the URL can give the event, until this turn has its outcome; keep it secret. The same
   * URL in every run of the turn.
   *
   *     const url = await turn.callbackUrl('payment');
   *     await turn.working(`Pay at https://pay.example.com/?notify=${encodeURIComponent(url)}`);
   *     const payment = await turn.waitFor('payment');
   *     return turn.complete(`Paid: ${JSON.stringify(payment)}`);
   * @throws {TurnMisuseError} the worker does not know the public address of the gateway (`PUBLIC_URL`)
   */
  callbackUrl(event: string): Promise<string> {
    return suppressUnhandled(this.#waits.callbackUrl(event));
  }

  /**
   * Waits until there is room for a request under the limits of this name, which the deployment sets in `MODEL_LIMITS`
   * for all its workers together (docs/pace.md). Executors of models wait by themselves; call it for a client of your
   * own. It is fair between tenants. Without a limit of this name, it waits only while a `slowDown` lasts.
   *
   *     const room = await turn.limit('maps', 200);
   *     const response = await fetch('https://maps.example/berlin', { signal: turn.signal });
   *     if (response.status === 429) await room.slowDown(10_000);
   *     else await room.used(Number(response.headers.get('tokens-used')));
   *
   * @param tokens that the request will probably use
   * @throws {RetryableError} there is no room before the turn's time is over
   * @throws {TurnMisuseError} the name is empty, or `tokens` no whole number from 0
   */
  limit(name: string, tokens = 0): Promise<Room> {
    return suppressUnhandled(this.#journal.pace.room({ name, tokens }));
  }

  /**
   * Call it before an external effect that is not a step, such as a request to another service. It rejects if the turn
   * was lost, for example because the worker was frozen. It reads from the store only if more time has passed than the
   * turn's lease lasts.
   *
   *     await turn.confirm();
   *     await fetch('https://printer.example/jobs', { method: 'POST', body: turn.text });
   *
   * @throws {TurnEnded}
   * @throws {TurnInterruption}
   */
  confirm(): Promise<void> {
    return suppressUnhandled(
      this.#journal.runEffect(() => this.#port.confirm()).then(() => this.signal.throwIfAborted()),
    );
  }

  /**
   * Sends a message to another agent, which gets a task of its own in this context, on behalf of the same principal,
   * and waits for its answer. A retried turn does not call again. The called task is canceled if this one fails or is
   * canceled; if it is waited for, also if this one completes first.
   *
   * A failed, rejected or canceled task is a reply like any other: see `isDone(reply)`. So is a question: continue with
   * `{ taskId: reply.taskId }`, or ask your own client with `askClient`. The results are in `reply.text`, `parts`,
   * `artifacts` and `data`, which is typed if the call has a `schema`.
   *
   *     const reply = await turn.call('kitchen', 'Is the oven hot?', { timeoutMs: 60_000 });
   *     if (!isDone(reply)) return turn.askClient(reply);
   *     return turn.complete(reply.text);
   *
   * @param agent its id, or the URL of an agent card
   * @throws {CallError} the call could not be made, took longer than `timeoutMs`, or its data does not match `schema`
   */
  call<Data>(
    agent: string,
    content: Content,
    options: CallOptions & { wait: false; schema: DataSchema<Data> },
  ): Promise<TaskReply<Data>>;
  call(agent: string, content: Content, options: CallOptions & { wait: false }): Promise<TaskReply>;
  call<Data>(
    agent: string,
    content: Content,
    options: CallOptions & { schema: DataSchema<Data> },
  ): Promise<CallReply<Data>>;
  call(agent: string, content: Content, options?: CallOptions): Promise<CallReply>;
  call(agent: string, content: Content, options?: CallOptions): Promise<CallReply> {
    return this.#calls.call(agent, content, options);
  }

  /**
   * Waits for a call that was made with `wait: false`, or that waits for an authorization. Its data are checked, and
   * typed, by the `schema` of the call; give it again if the call comes from the result of a step.
   *
   *     const call = await turn.call('kitchen', 'Two pizzas', { wait: false });
   *     await turn.working('The kitchen has the order');
   *     const reply = await turn.join(call);
   *
   * @throws {CallError} the task is gone, took longer than `timeoutMs` and was canceled, or its data does not match
   */
  join<Data>(call: Joinable, options: JoinOptions & { schema: DataSchema<Data> }): Promise<CallReply<Data>>;
  join<Data>(call: Joinable<Data>, options?: JoinOptions): Promise<CallReply<Data>>;
  join(call: Joinable, options?: JoinOptions): Promise<CallReply> {
    return this.#calls.join(call, options);
  }

  /**
   * Passes another agent's question, or its request for an authorization, on to the client. The client's answer is the
   * message of the next turn, whose `waitingCall` names the waiting task.
   *
   *     const asked = turn.waitingCall;
   *     const reply = await turn.call('kitchen', turn.text, asked ? { taskId: asked.taskId } : {});
   *     return isDone(reply) ? turn.complete(reply.text) : turn.askClient(reply);
   *
   * @throws {TurnMisuseError} the reply is not a question
   */
  async askClient(reply: CallReply): Promise<Outcome> {
    const question = { parts: reply.kind === 'task' ? (reply.task.status.message?.parts ?? []) : [] };
    const asked = {
      parts: question.parts.length ? question.parts : [{ text: reply.text }],
      metadata: waitingMetadata(reply),
    };
    if (reply.state === 'TASK_STATE_INPUT_REQUIRED') return this.requireInput(asked);
    if (reply.state === 'TASK_STATE_AUTH_REQUIRED') return this.requireAuth(asked);
    throw new TurnMisuseError(`A reply in ${reply.state} asks for nothing that a client could answer.`);
  }

  /**
   * The other tasks of the context, of all agents and of the same principal, the latest first, with their results.
   *
   *     const [latest] = await turn.otherTasks({ limit: 1 });
   *     if (latest) await turn.working(`${latest.agent} has made ${latest.task.artifacts?.length ?? 0} artifacts.`);
   */
  otherTasks(options: OtherTasksOptions = {}): Promise<readonly OtherTask[]> {
    return this.#journal.runEffect(() => this.#port.context.tasks(options));
  }

  /**
   * Holds a conversation with another agent: sends `message`, and answers its replies with `reply` until `maxTurns`, or
   * until one of the two answers `endOfConversation`. Every turn is an event of a stored feed at
   * `/conversations/<id>`. Goes on after a crash.
   *
   *     const { ended, texts } = await turn.holdConversation('target', {
   *       message: 'Where shall we have lunch?',
   *       reply: ({ text }) => (text.includes('noodle') ? 'Fine.' : endOfConversation),
   *     });
   */
  holdConversation(agent: string, options: ConversationOptions): Promise<ConversationResult> {
    const parts = { port: this.#port, journal: this.#journal, steps: this.#steps, calls: this.#calls };
    return suppressUnhandled(holdConversation(parts, agent, options));
  }

  /**
   * Completes the task: TASK_STATE_COMPLETED. Put results in artifacts; the message refers to them (A2A 3.7).
   *
   *     return turn.complete('The report is done.');
   */
  complete(content?: Content, options?: StatusOptions): Promise<Outcome> {
    return this.#settle('TASK_STATE_COMPLETED', content, options);
  }

  /**
   * Asks the client: TASK_STATE_INPUT_REQUIRED. The answer is the message of the next turn (A2A 3.4.3).
   *
   *     return turn.requireInput('A table for how many?');
   */
  requireInput(question: Content, options?: StatusOptions): Promise<Outcome> {
    return this.#settle('TASK_STATE_INPUT_REQUIRED', question, options);
  }

  /**
   * Asks the client for an authorization: TASK_STATE_AUTH_REQUIRED (A2A 7.6). The credential arrives out of band: wait
   * for it and go on publishing, or return; then the client's next message begins a new turn. The credential authorizes
   * this message alone, and no later one of the task (A2A 7.6.4).
   *
   *     return turn.requireAuth('Please sign in at https://bank.example, then send me a message.');
   */
  requireAuth(explanation: Content, options?: StatusOptions): Promise<Outcome> {
    const state: TaskState = 'TASK_STATE_AUTH_REQUIRED';
    return suppressUnhandled(
      this.#publishStatus(state, explanation, { settles: false, ...options }).then(() => ({ state })),
    );
  }

  /**
   * Declines the task: TASK_STATE_REJECTED.
   *
   *     if (turn.text.length > 2_000) return turn.reject('Please ask for one book at a time.');
   */
  reject(reason: Content, options?: StatusOptions): Promise<Outcome> {
    return this.#settle('TASK_STATE_REJECTED', reason, options);
  }

  /**
   * Fails the task: TASK_STATE_FAILED; the client reads `reason`. Throwing an `AgentError` does the same.
   *
   *     return turn.fail('The oven is broken.');
   */
  fail(reason: Content, options?: StatusOptions): Promise<Outcome> {
    return this.#settle('TASK_STATE_FAILED', reason, options);
  }

  /**
   * Answers with a plain Message instead of a task (A2A 3.1.1). A client that was already given the task gets it
   * completed with this message. Set `repliesWithMessage` in the definition of an agent that always answers so.
   *
   *     return turn.reply('It is noon.');
   */
  reply(content: Content): Promise<Outcome> {
    return this.#settle('TASK_STATE_COMPLETED', content, { isPlainMessage: true });
  }

  async #recordUsage(usage: CountedUsage): Promise<void> {
    checkUsage(usage);
    await this.#journal.runAlways(async () => this.#port.recordUsage?.(usage));
  }

  #settle(state: TaskState, content: Content | undefined, details?: Partial<StatusDetails>): Promise<Outcome> {
    const published = this.#publishStatus(state, content, { ...details, settles: true });
    return suppressUnhandled(published.then(() => ({ state })));
  }

  #publishStatus(state: TaskState, content: Content | undefined, details: StatusDetails): Promise<void> {
    return this.#journal.write(() => ({
      kind: 'status',
      state,
      ...(content !== undefined && { message: this.#message(content, details) }),
      ...details,
    }));
  }

  #messageId({ parts, metadata, extensions }: Message): string {
    const { scope } = this.#journal;
    const contents = JSON.stringify([parts, metadata, extensions]);
    const origin = { taskId: this.task.id, messageId: this.message.messageId };
    return turnMessageId(origin, [scope.step, scope.number('message', contents), contents]);
  }

  /** A plain reply has a contextId, because its client gets no task that has one (A2A 4.1.4). */
  #message(content: Content, { isPlainMessage }: StatusDetails): Message {
    const { contextId } = this.task;
    const message = agentMessage(content);
    const messageId = this.#messageId(message);
    return { ...message, messageId, ...(isPlainMessage && contextId !== undefined && { contextId }) };
  }
}

function checkUsage({ model, key, ...amounts }: CountedUsage): void {
  if (typeof model !== 'string' || model === '') throw new TurnMisuseError('Usage needs the name of its model.');
  for (const [name, amount] of Object.entries(amounts))
    if (amount !== undefined && !(Number.isSafeInteger(amount) && Number(amount) >= 0))
      throw new TurnMisuseError(`Usage has the amount ${name}, which must be a whole number from 0, not ${amount}.`);
}

type StatusDetails = Pick<StatusEvent, 'settles' | 'metadata' | 'answersCaller' | 'isPlainMessage'>;
