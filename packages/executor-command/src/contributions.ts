import type { ContextTask, Turn } from '@switchyard/agent';
import { textOf } from '@switchyard/agent';
import type { Specification } from './briefing.ts';

/** What other agents have made, as texts: the artifacts of the tasks that the message refers to (A2A 4.1.4). */
export async function contributions(turn: Turn): Promise<Specification[]> {
  const wanted = turn.message.referenceTaskIds ?? [];
  if (wanted.length === 0) return [];
  const tasks = await turn.context({ limit: 100 });
  const inOrder = wanted.flatMap((id) => tasks.find(({ task }) => task.id === id) ?? []);
  return inOrder.map(specification).filter(({ text }) => text);
}

function specification({ agent, task }: ContextTask): Specification {
  const texts = (task.artifacts ?? []).map(({ name, parts }) => [name, textOf({ parts })] as const);
  const written = texts.filter(([, text]) => text).map(([name, text]) => (name ? `### ${name}\n\n${text}` : text));
  return { agent, text: written.join('\n\n') };
}
