import type { Message, Metadata, TurnInput } from '@switchyard/protocol';
import { textOf } from '../messages/content.ts';
import type { BudgetAnswer } from '../port/budget.ts';

/** Metadata key of the message that asks. Its value: the id of the message whose work goes on. */
const key = 'switchyard.budgetQuestion';

/** Metadata of the question whether the work for a message may go on. */
export function questionMetadata(messageId: string): Metadata {
  return { [key]: messageId };
}

/**
 * The input of a turn that a client's answer begins: that of the turn that asked, as if nobody had asked. So the same
 * code runs with the same message, and finds its steps, calls and waits.
 *
 *     const { input, answer } = continuedWork(new MemoryPort({ message: 'yes' }).input);
 *
 * @returns the input unchanged, without an answer: its message answers no such question
 */
export function continuedWork<Input extends TurnInput>(
  input: Input,
): { readonly input: Input; readonly answer?: BudgetAnswer } {
  const { task, message } = input;
  const { history = [] } = task;
  // Near the end, and for nearly all turns nothing else of the history is looked at.
  const now = history.findLastIndex(({ messageId }) => messageId === message.messageId);
  const question = history[now - 1];
  const id = workOf(question);
  const asked = id === undefined ? undefined : history.find(({ messageId }) => messageId === id);
  if (!question || !asked) return { input };
  const kept = history.filter((one, i) => i > now || !(workOf(one) || workOf(history[i - 1])));
  const answer = { says: meaningOf(textOf(message)), messageId: message.messageId, question: textOf(question) };
  return { input: { ...input, message: asked, task: { ...task, history: kept } }, answer };
}

function workOf(message: Message | undefined): string | undefined {
  const id = message?.role === 'ROLE_AGENT' ? message.metadata?.[key] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** By the first word. Money is spent only after a clear yes. */
function meaningOf(text: string): BudgetAnswer['says'] {
  const [first = ''] = text.toLowerCase().match(/\p{L}+/u) ?? [];
  if (['yes', 'y', 'ok', 'okay', 'continue'].includes(first)) return 'yes';
  return ['no', 'n', 'stop', 'cancel'].includes(first) ? 'no' : 'unclear';
}
