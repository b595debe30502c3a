import type { Execute } from '@switchyard/agent';
import { openAiExecutor } from '@switchyard/executor-openai';
import { teamModel } from './model.ts';
import { answering } from './question.ts';

export interface WriterRole {
  readonly role: string;
  /** Name of the document. */
  readonly document: string;
  readonly task: string;
}

/** A member that writes a document with a model. */
export function writer({ role, document, task }: WriterRole): Execute {
  let write: Promise<Execute> | undefined;
  const open = async (): Promise<Execute> =>
    openAiExecutor({
      ...(await teamModel()),
      system: `You are the ${role} of a team of software engineers. ${task} Write Markdown.`,
      artifact: { name: document, mediaType: 'text/markdown' },
    });
  return answering(role, async (turn) => {
    write ??= open();
    return (await write)(turn);
  });
}
