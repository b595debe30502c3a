import { PassThrough } from 'node:stream';
import { RefusedError } from '../port/turn-errors.ts';
import { longestResult } from '../steps/step-result.ts';
import type { Turn } from '../turn/turn.ts';
import type { Answer } from './answer.ts';
import type { ChatModel } from './chat-model.ts';
import { type AnyTools, runTools } from './tools.ts';

/** The model's part of a turn. */
export interface ToolLoop<Message, Given extends Answer> {
  readonly model: ChatModel<Message, Given>;
  /**
   * Called before the first request; not at all if every answer is remembered. `goesOn`: an earlier run of the turn has
   * asked the model already.
   */
  readonly begin: (given: { readonly goesOn: boolean }) => Promise<Message[]>;
  readonly tools: AnyTools;
  /** Rounds of tool calls before the model must answer. */
  readonly maxToolRounds: number;
  /** Rejects if an answer is not valid. */
  readonly check: (text: string) => Promise<unknown>;
  /** The turn goes on after the answer, so that a later run of it needs the same one. */
  readonly isAnswerKept: boolean;
  /** Publishes a piece of the answer. The first piece of a round replaces the text of an earlier round. */
  readonly publish: (piece: string, isFirst: boolean) => Promise<void>;
}

/**
 * Gets an answer from the model, with rounds of tool calls. With tools, or if the answer is kept, the model's text of
 * each round and the results of the tools are stored as steps: a later run of the turn reuses them instead of repeating
 * the calls. An answer that paused goes on in the next round, as the same text.
 */
export async function completeWithTools<Message, Given extends Answer>(
  turn: Turn,
  loop: ToolLoop<Message, Given>,
): Promise<string> {
  const { model, tools, maxToolRounds, check, isAnswerKept } = loop;
  let beginning: Message[] | undefined;
  const since: Message[] = [];
  const hasTools = Object.keys(tools).length > 0 || model.hasOwnTools === true;
  let said = '';
  let lastErrors: string[] = [];
  const ask = async function* (round: number): AsyncGenerator<string, Given, undefined> {
    await turn.confirm();
    beginning ??= await loop.begin({ goesOn: round > 1 });
    const messages = [...beginning, ...since];
    const answer = yield* model.ask({ messages, signal: turn.signal, mustAnswer: hasTools && round > maxToolRounds });
    if (isLast(answer)) await check(said + answer.text);
    return answer;
  };
  if (!hasTools && !isAnswerKept) return (await readAnswer(ask(1), loop)).text;
  for (let round = 1; ; round++) {
    const pieces = remembered(turn, `model ${round}`, () => ask(round));
    const answer = await readAnswer(pieces, loop, said !== '');
    const { text, calls, isPaused } = answer;
    if (isLast(answer)) return said + text;
    if (round > maxToolRounds)
      throw new RefusedError(
        'model-refused',
        `The model did not answer within its limit of rounds of tool calls (${maxToolRounds}).`,
        { code: 'rounds', ...(lastErrors.length > 0 && { cause: new Error(lastErrors.join('; ')) }) },
      );
    since.push(...model.answerMessages(answer));
    said = isPaused ? said + text : '';
    if (isPaused) continue;
    if (text) await turn.working(text);
    const results = await runTools(turn, tools, { round, calls });
    lastErrors = results.flatMap(({ call, text, isError }) => (isError ? [`${call.name}: ${text}`] : []));
    since.push(...model.resultMessages(results));
  }
}

/** @throws {RefusedError} the answer is too long for a step */
function requireKept<Given extends Answer>(answer: Given): Given {
  const { length } = JSON.stringify(answer);
  if (length <= longestResult) return answer;
  throw new RefusedError(
    'model-refused',
    `The answer of the model is too long: it has ${length} characters of JSON, and ${longestResult} can be kept.`,
    { code: 'answer-too-long' },
  );
}

function isLast({ calls, isPaused }: Answer): boolean {
  return calls.length === 0 && !isPaused;
}

async function readAnswer<Given>(
  round: AsyncGenerator<string, Given, undefined>,
  { publish }: Pick<ToolLoop<unknown, never>, 'publish'>,
  goesOn = false,
): Promise<Given> {
  for (let isFirst = !goesOn; ; isFirst = false) {
    const { done, value } = await round.next();
    if (done) return value;
    await publish(value, isFirst);
  }
}

/**
 * Gets the answer in a step of the turn. Its pieces are published outside of the step: as they arrive or, if the step
 * does not run again, all at once.
 */
async function* remembered<Given extends Answer>(
  turn: Turn,
  name: string,
  ask: () => AsyncGenerator<string, Given, undefined>,
): AsyncGenerator<string, Given, undefined> {
  const pieces = new PassThrough({ objectMode: true });
  let isLive = false;
  const answer = turn.step(name, async () => {
    isLive = true;
    const source = ask();
    for (;;) {
      const { done, value } = await source.next();
      if (done) return requireKept(value);
      pieces.write(value);
    }
  });
  answer.then(
    ({ text }) => {
      if (!isLive && text) pieces.write(text);
      pieces.end();
    },
    (error) => pieces.destroy(error),
  );
  yield* pieces;
  return answer;
}
