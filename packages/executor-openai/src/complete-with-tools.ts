import { PassThrough } from 'node:stream';
import type { Turn } from '@switchyard/agent';
import { AgentError } from '@switchyard/agent';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { z } from 'zod';
import type { Answer } from './answer.ts';
import { interimKey } from './chat-messages.ts';
import type { Model, Question } from './model.ts';
import { runTools, type Tool, toolDefinitions } from './tools.ts';

/** The model's part of a turn. */
export interface ToolLoop {
  readonly model: Model;
  readonly messages: readonly ChatCompletionMessageParam[];
  readonly format?: Question['format'];
  readonly tools: Readonly<Record<string, Tool<z.ZodType>>>;
  /** Rounds of tool calls before the model must answer. */
  readonly maxToolRounds: number;
  /** Throws if an answer is not valid. */
  readonly check: (text: string) => void;
  /** Publishes a piece of the answer. The first piece of a round replaces the text of an earlier round. */
  readonly publish: (piece: string, isFirst: boolean) => Promise<void>;
}

/**
 * Gets an answer from the model, with rounds of tool calls. With tools, the model's text of each round and the results
 * of the tools are stored as steps: a retried turn reuses them instead of repeating the calls.
 */
export async function completeWithTools(turn: Turn, loop: ToolLoop): Promise<string> {
  const { model, format, tools, maxToolRounds, check } = loop;
  const definitions = toolDefinitions(tools);
  const messages = [...loop.messages];
  const ask = async function* (round: number): AsyncGenerator<string, Answer, undefined> {
    const mustAnswer = definitions.length > 0 && round > maxToolRounds;
    const question = { messages, signal: turn.signal, format, tools: definitions, mustAnswer };
    await turn.confirm();
    return yield* checked(format ? whole(model, question) : model.stream(question), check);
  };
  if (definitions.length === 0) return (await readAnswer(ask(1), loop)).text;
  for (let round = 1; ; round++) {
    const answer = await readAnswer(
      remembered(turn, `model ${round}`, () => ask(round)),
      loop,
    );
    const { text, calls } = answer;
    if (calls.length === 0) return text;
    if (round > maxToolRounds)
      throw new AgentError(`The model did not answer within its limit of rounds of tool calls (${maxToolRounds}).`);
    if (text) await turn.working({ parts: [{ text }], metadata: { [interimKey]: turn.message.messageId } });
    messages.push(asMessage(answer), ...(await runTools(turn, tools, { round, calls })));
  }
}

async function readAnswer(round: AsyncGenerator<string, Answer, undefined>, { publish }: ToolLoop): Promise<Answer> {
  for (let isFirst = true; ; isFirst = false) {
    const { done, value } = await round.next();
    if (done) return value;
    await publish(value, isFirst);
  }
}

/** The answer in one piece: not every server can stream structured answers. */
async function* whole(model: Model, question: Question): AsyncGenerator<string, Answer, undefined> {
  const answer = await model.answer(question);
  if (answer.text) yield answer.text;
  return answer;
}

async function* checked(
  answer: AsyncGenerator<string, Answer, undefined>,
  check: (text: string) => void,
): AsyncGenerator<string, Answer, undefined> {
  const whole = yield* answer;
  if (whole.calls.length === 0) check(whole.text);
  return whole;
}

/**
 * Gets the answer in a step of the turn. Its pieces are published outside of the step: as they arrive or, if the step
 * does not run again, all at once.
 */
async function* remembered(
  turn: Turn,
  name: string,
  ask: () => AsyncGenerator<string, Answer, undefined>,
): AsyncGenerator<string, Answer, undefined> {
  const pieces = new PassThrough({ objectMode: true });
  let isLive = false;
  const answer = turn.step(name, async () => {
    isLive = true;
    const source = ask();
    for (;;) {
      const { done, value } = await source.next();
      if (done) return value;
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

function asMessage({ text, calls, ...thoughts }: Answer): ChatCompletionMessageParam {
  return {
    role: 'assistant',
    content: text || null,
    ...thoughts,
    tool_calls: calls.map(({ id, name, arguments: args, ...extra }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
      ...extra,
    })),
  };
}
