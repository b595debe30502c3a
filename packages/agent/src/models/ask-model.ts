import { UnavailableError } from '../port/turn-errors.ts';
import { IdleTimeout, timesOf } from '../timeouts/timeouts.ts';
import type { ModelClient, ModelRequest } from './model-client.ts';
import { modelError } from './model-error.ts';
import { ModelPace } from './model-pace.ts';
import { OpenCall } from './open-call.ts';

/**
 * Asks a model within its pace and the budget of the turn, and counts what it used. A request that the provider refuses
 * because it has too much to do is sent again when there is room.
 *
 *     const model = new AskedModel(client);
 *     for await (const piece of model.ask({ prompt: turn.text, messages: [turn.text], signal: turn.signal }))
 *       await turn.working(piece);
 */
export class AskedModel<Request extends ModelRequest, Answer> {
  readonly #client: ModelClient<Request, Answer>;
  readonly #pace: ModelPace;
  readonly #timeoutMs: number;

  /** @throws {TypeError} `timeoutMs` is longer than a timer */
  constructor(client: ModelClient<Request, Answer>) {
    this.#client = client;
    this.#timeoutMs = timesOf(client, { timeoutMs: 120_000 }).timeoutMs;
    this.#pace = new ModelPace(client);
  }

  /**
   * @returns the whole answer, after its pieces
   * @throws the reason of the request's signal
   * @throws {RetryableError} a temporary error
   * @throws {AgentError} any other error of the model or its server
   */
  async *ask(request: Request): AsyncGenerator<string, Answer, undefined> {
    for (let tries = 0; ; tries++) {
      const answer = yield* this.#askOnce(request, tries);
      if (answer) return answer.build();
    }
  }

  /** @returns undefined: there is no room yet */
  async *#askOnce(request: Request, tries: number): AsyncGenerator<string, { build(): Answer } | undefined, undefined> {
    const { client, pace } = { client: this.#client, pace: this.#pace };
    const room = await pace.enter(request);
    using idle = new IdleTimeout(request.signal, this.#timeoutMs);
    using call = new OpenCall({
      model: client.model,
      span: openSpan(client),
      idle,
      onHeaders: (headers) => pace.answered(headers, room),
    });
    try {
      return yield* client.send(request, call);
    } catch (error) {
      call.failed(error);
      const problem = client.problemOf(error);
      const isInterrupted = call.hasBegun || idle.signal.aborted;
      if (!isInterrupted && (await pace.slowsDown(problem, room, tries))) return undefined;
      if (request.signal.aborted) throw request.signal.reason;
      if (idle.isExpired) throw new UnavailableError('model-silent', 'The model did not answer in time.');
      throw modelError(error, problem, client.apiKey);
    } finally {
      pace.used(call.tokens, room);
    }
  }
}

function openSpan({ model, provider, host, openSpan: open }: ModelClient<never, unknown>) {
  return open(`chat ${model}`, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    'server.address': host.replace(/:\d+$/, ''),
  });
}

/**
 * The answer of a model without its pieces.
 *
 *     const { text } = await wholeAnswer(chatModel.ask({ messages: [turn.text], signal: turn.signal, mustAnswer: true }));
 */
export async function wholeAnswer<Answer>(answer: AsyncGenerator<string, Answer, undefined>): Promise<Answer> {
  for (;;) {
    const { done, value } = await answer.next();
    if (done) return value;
  }
}
