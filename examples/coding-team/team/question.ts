import type { Execute, Turn } from '@switchyard/agent';
import { openAiModel } from '@switchyard/executor-openai';
import { teamModel } from './model.ts';

/** An executor that answers questions with a plain message, and delegates work to another executor. */
export function answering(role: string, work: Execute): Execute {
  return async (turn) => {
    if (turn.message.metadata?.kind !== 'question') return work(turn);
    return turn.reply(await answer(role, turn));
  };
}

async function answer(role: string, { text, signal }: Turn): Promise<string> {
  const model = openAiModel(await teamModel());
  const system = `You are the ${role} of a team of software engineers. A colleague asks you something. Answer in one sentence.`;
  return model.text({ system, prompt: text, signal });
}
