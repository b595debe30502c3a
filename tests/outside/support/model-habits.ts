import { Chance } from './chance.ts';

/** What a model answers. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  readonly thoughts?: string;
}

/** How a server sends an answer. What is not named is as in OpenAI's API. */
export interface Habits {
  /** The role comes with each chunk. */
  readonly repeatsRole?: true;
  /** `finish_reason` before the end. Default: null. */
  readonly interimReason?: '' | 'absent' | 'stop';
  /** Default: `stop`. */
  readonly endReason?: string;
  /** `finish_reason` after tool calls. Default: `tool_calls`. */
  readonly callReason?: string;
  /** There is no finish reason, only `[DONE]`. */
  readonly hasNoReason?: true;
  /** The finish reason comes with the last text. */
  readonly endsWithText?: true;
  /** The last chunk comes twice, the second time with the usage. */
  readonly endsTwice?: true;
  readonly usage?: 'own chunk' | 'every chunk' | 'none';
  readonly thoughts?: 'reasoning_content' | 'reasoning' | 'parts' | '<think>';
  readonly callIndex?: 'zero' | 'absent' | 'null';
  readonly callId?: 'every piece' | 'empty' | 'absent';
  readonly callName?: 'every piece' | 'empty later' | 'in two pieces';
  readonly args?: 'whole' | 'object';
  /** All calls in one chunk. */
  readonly callsTogether?: true;
  /** Chunks before the answer. */
  readonly first?: readonly object[];
  /** Fields of each chunk. */
  readonly extra?: object;
  readonly hasNoDone?: true;
}

const model = { object: 'chat.completion.chunk', created: 1_764_000_000, model: 'm', id: 'chatcmpl-1' };
const counted = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 };

/** The chunks of a stream, as objects; the last one may be the text `[DONE]`. */
export function streamed(answer: ModelAnswer, habits: Habits, chance = new Chance(1)): (object | string)[] {
  const { interimReason, endsWithText, endsTwice, extra } = habits;
  const calls = answer.calls ?? [];
  const interim = interimReason === 'absent' ? {} : { finish_reason: interimReason ?? null };
  const reason = calls.length > 0 ? (habits.callReason ?? 'tool_calls') : (habits.endReason ?? 'stop');
  const ending = habits.hasNoReason ? interim : { finish_reason: reason };
  const deltas = [
    ...thoughtDeltas(answer, habits, chance),
    ...textDeltas(answer, chance),
    ...callDeltas(calls, habits, chance),
  ];
  const chunk = (delta: object, finish: object, usage?: object): object => ({
    ...model,
    ...extra,
    choices: [{ index: 0, delta: { ...(habits.repeatsRole && { role: 'assistant' }), ...delta }, ...finish }],
    ...(habits.usage === 'every chunk' && { usage: counted }),
    ...usage,
  });
  const chunks = deltas.map((delta, at) => chunk(delta, endsWithText && at === deltas.length - 1 ? ending : interim));
  return [
    ...(habits.first ?? []),
    chunk({ role: 'assistant', content: '' }, interim),
    ...chunks,
    ...(endsWithText ? [] : [chunk({}, ending)]),
    ...(endsTwice ? [chunk({ content: '' }, ending, { usage: counted })] : []),
    ...(habits.usage === 'own chunk' ? [{ ...model, choices: [], usage: counted }] : []),
    ...(habits.hasNoDone ? [] : ['[DONE]']),
  ];
}

/** A completion in one piece. */
export function whole(answer: ModelAnswer, habits: Habits): object {
  const calls = answer.calls ?? [];
  const inText = habits.thoughts === '<think>' && answer.thoughts ? `<think>\n${answer.thoughts}\n</think>\n\n` : '';
  const tool_calls = calls.map(({ name, args }, at) => ({
    ...callIds(habits, at, true),
    type: 'function',
    function: { name, arguments: habits.args === 'object' ? args : JSON.stringify(args) },
  }));
  const reason = calls.length > 0 ? (habits.callReason ?? 'tool_calls') : (habits.endReason ?? 'stop');
  const message = {
    role: 'assistant',
    content: answer.text ? inText + answer.text : null,
    refusal: null,
    ...(calls.length > 0 && { tool_calls }),
  };
  const finish_reason = habits.hasNoReason ? (habits.interimReason === '' ? '' : null) : reason;
  return { ...model, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage: counted };
}

function thoughtDeltas({ thoughts }: ModelAnswer, habits: Habits, chance: Chance): object[] {
  if (!thoughts || !habits.thoughts) return [];
  if (habits.thoughts === '<think>')
    return chance.pieces(`<think>\n${thoughts}\n</think>\n\n`, 6).map((content) => ({ content }));
  return chance.pieces(thoughts, 12).map((piece): object => {
    if (habits.thoughts === 'reasoning') return { content: '', reasoning: piece };
    if (habits.thoughts === 'parts')
      return { content: [{ type: 'thinking', thinking: [{ type: 'text', text: piece }] }] };
    return { content: null, reasoning_content: piece };
  });
}

function textDeltas({ text }: ModelAnswer, chance: Chance): object[] {
  return chance.pieces(text, 9).map((content) => ({ content }));
}

function callDeltas(calls: NonNullable<ModelAnswer['calls']>, habits: Habits, chance: Chance): object[] {
  const pieces = calls.map((call, at) => callPieces(call, at, { habits, chance }));
  if (habits.callsTogether) return [{ tool_calls: pieces.flat() }];
  return pieces.flat().map((piece) => ({ tool_calls: [piece] }));
}

function callPieces(
  { name, args }: NonNullable<ModelAnswer['calls']>[number],
  at: number,
  { habits, chance }: { readonly habits: Habits; readonly chance: Chance },
): object[] {
  const isWhole = habits.args !== undefined || habits.callsTogether;
  const json = JSON.stringify(args);
  const sent: unknown[] = habits.args === 'object' ? [args] : isWhole ? [json] : ['', ...chance.pieces(json, 5)];
  return sent.flatMap((piece, n): object[] => {
    const ids = callIds(habits, at, n === 0);
    const named = (each: string): object => ({ ...ids, type: 'function', function: { name: each, arguments: piece } });
    if (n > 0 && habits.callName === 'every piece') return [named(name)];
    if (n > 0 && habits.callName === 'empty later') return [named('')];
    if (n > 0) return [{ ...ids, function: { arguments: piece } }];
    if (habits.callName !== 'in two pieces' || isWhole) return [named(name)];
    return [named(name.slice(0, 2)), { ...ids, function: { name: name.slice(2), arguments: '' } }];
  });
}

function callIds({ callIndex, callId }: Habits, at: number, isFirst: boolean): object {
  const index = callIndex === 'zero' ? 0 : callIndex === 'null' ? null : at;
  const id = callId === 'empty' ? '' : `call_${at}`;
  const hasId = callId === 'every piece' || (isFirst && callId !== 'absent');
  return { ...(callIndex !== 'absent' && { index }), ...(hasId && { id }) };
}
