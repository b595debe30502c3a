import { type OtherTask, type Turn, textOf } from '@switchyard/agent';
import type { Message } from '@switchyard/protocol';

/** The briefing of a program. Every part is optional. */
export interface Briefing {
  /** The program's role: "Frontend engineer". */
  readonly role?: string;
  readonly capabilities?: readonly string[];
  /** Analysis of the work so far. */
  readonly analysis?: string;
  /** The work to do. Default: the text of the message. */
  readonly instructions?: string;
  readonly successCriteria?: readonly string[];
  /** Steps of the work, in order. */
  readonly approach?: readonly string[];
  /** Results of other agents. Default: those of the tasks that the message refers to. */
  readonly specs?: readonly Specification[];
}

export interface Specification {
  /** The agent that wrote it. */
  readonly agent: string;
  readonly text: string;
}

/** The files of the briefing, and one for a question of the program. */
export const briefingFiles = ['CONTEXT.md', 'INSTRUCTIONS.md', 'SPECS.md'] as const;
export const questionFile = 'QUESTION.md';

/** Marks status messages with a program's output: the next turn's briefing leaves them out. */
export const outputKey = 'switchyard.output';

/** Longest message of the history in the briefing, in characters. */
const maxMessageLength = 4_000;

/** The texts of CONTEXT.md, INSTRUCTIONS.md and SPECS.md. Undefined: no such file. */
export function briefingTexts(
  turn: Turn,
  briefing: Briefing,
): Record<(typeof briefingFiles)[number], string | undefined> {
  return {
    'CONTEXT.md': contextText(turn, briefing),
    'INSTRUCTIONS.md': instructionsText(turn, briefing),
    'SPECS.md': briefing.specs?.length ? specsText(briefing.specs) : undefined,
  };
}

function contextText({ task, message, attempt, history }: Turn, { role, capabilities, analysis }: Briefing): string {
  const earlier = history.filter(
    ({ messageId, metadata }) => messageId !== message.messageId && !metadata?.[outputKey],
  );
  const again = 'An earlier attempt at this work was interrupted. Its files are still in this folder.';
  return document('Context', [
    ['Role', role],
    ['Capabilities', list(capabilities)],
    ['Task', list([`Task id: ${task.id}`, `Context id: ${task.contextId ?? ''}`, `Attempt: ${attempt}`])],
    ['Earlier attempt', attempt > 1 ? again : undefined],
    ['History', earlier.map(historyEntry).join('\n\n') || 'This is the first message.'],
    ['Analysis', analysis],
  ]);
}

function instructionsText(turn: Turn, { instructions, successCriteria, approach }: Briefing): string {
  const asking =
    `If you need an answer before you can continue, write your question into ${questionFile} and stop: ` +
    'the answer will be in the next instructions.';
  return document('Instructions', [
    ['What to do', (instructions ?? turn.text) || 'The message has no text: see the attachments.'],
    ['Success criteria', list(successCriteria)],
    ['Approach', list(approach, (_, index) => `${index + 1}.`)],
    ['Questions', asking],
  ]);
}

function specsText(specs: readonly Specification[]): string {
  return document(
    'Specifications',
    specs.map(({ agent, text }) => [`From ${agent}`, text]),
  );
}

function document(title: string, sections: readonly (readonly [heading: string, text: string | undefined])[]): string {
  const written = sections.filter(([, text]) => text).map(([heading, text]) => `\n## ${heading}\n\n${text}\n`);
  return `# ${title}\n${written.join('')}`;
}

function list(items: readonly string[] | undefined, mark = (_: string, __: number): string => '-'): string | undefined {
  return items?.map((item, index) => `${mark(item, index)} ${item}`).join('\n');
}

function historyEntry(message: Message): string {
  const text = textOf(message);
  const shown = text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)} …` : text;
  return `${message.role === 'ROLE_AGENT' ? 'Agent' : 'User'}: ${shown || '(no text)'}`;
}

/** The artifacts of the tasks that the message refers to, as texts (A2A 4.1.4). */
export async function contributions(turn: Turn): Promise<Specification[]> {
  // A client may name a task a thousand times.
  const wanted = new Set(turn.message.referenceTaskIds);
  if (wanted.size === 0) return [];
  const tasks = new Map((await turn.otherTasks({ limit: 100 })).map((other) => [other.task.id, other]));
  const inOrder = [...wanted].flatMap((id) => tasks.get(id) ?? []);
  return inOrder.map(specification).filter(({ text }) => text);
}

function specification({ agent, task }: OtherTask): Specification {
  const texts = (task.artifacts ?? []).map(({ name, parts }) => [name, textOf({ parts })] as const);
  const written = texts.filter(([, text]) => text).map(([name, text]) => (name ? `### ${name}\n\n${text}` : text));
  return { agent, text: written.join('\n\n') };
}
