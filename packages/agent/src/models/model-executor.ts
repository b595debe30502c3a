import type { DataSchema } from '../data/data-schema.ts';
import type { Execute } from '../definition/agent.ts';
import type { Answer } from './answer.ts';
import type { ChatModel } from './chat-model.ts';
import { completeWithTools } from './complete-with-tools.ts';
import { type AnswerForm, deliveryOf } from './delivery.ts';
import { type DialogueOptions, dialogueOf } from './dialogue.ts';
import type { AnyTools, ToolShapes, Tools } from './tools.ts';

/** Settings that executors of models have in common. */
export type ModelExecutorSettings<
  Value,
  Shapes extends ToolShapes = ToolShapes,
  Schema extends DataSchema<Value> = DataSchema<Value>,
> = DialogueOptions & AnswerForm<Value, Schema> & ToolOptions<Shapes>;

interface ToolOptions<Shapes extends ToolShapes> {
  /** Tools that the model may use before it answers. Default: none. */
  readonly tools?: Tools<Shapes>;
  /** Rounds of tool calls in a turn before the model must answer. Default: 8. */
  readonly maxToolRounds?: number;
}

/**
 * An executor that answers every turn with a model, however it is asked: for executors of further SDKs.
 *
 *     export const myExecutor = (settings: ModelExecutorSettings<unknown>) => modelExecutor(settings, chatModel);
 */
export function modelExecutor<Value, Shapes extends ToolShapes, Message, Given extends Answer>(
  settings: ModelExecutorSettings<Value, Shapes>,
  model: ChatModel<Message, Given>,
): Execute {
  const { begin, check, isAnswerKept } = deliveryOf<Value>(settings);
  const { maxToolRounds = 8 } = settings;
  const tools: AnyTools = { ...settings.tools };
  return async (turn) => {
    await turn.working();
    const { publish, end } = begin(turn);
    return end(
      await completeWithTools(turn, {
        model,
        begin: async ({ goesOn }) => model.begin(await dialogueOf(turn, settings, { needsFiles: !goesOn })),
        tools,
        maxToolRounds,
        check,
        isAnswerKept,
        publish,
      }),
    );
  };
}
