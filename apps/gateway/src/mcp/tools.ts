import type { Tool } from '@modelcontextprotocol/server';
import type { AgentCard } from '@switchyard/protocol';
import type { AnnouncedAgent } from '@switchyard/store';
import { z } from 'zod';

/** The arguments of a call to an agent. */
export const askSchema = z.strictObject({
  message: z.string().min(1).describe('The message to the agent, in natural language.'),
  data: z.record(z.string(), z.unknown()).optional().describe('Structured input in addition to the message.'),
  taskId: z.string().optional().describe('The task of this agent to continue: one that asks for input.'),
  contextId: z.string().optional().describe('The context of an earlier task, for a new task in it.'),
});
export type Ask = z.infer<typeof askSchema>;

const named = {
  agent: z.string().describe('The tool that started the task.'),
  taskId: z.string(),
};

export const getTaskSchema = z.strictObject({
  ...named,
  waitSeconds: z.number().min(0).default(5).describe('How long to wait for its next change while it runs.'),
});

export const cancelTaskSchema = z.strictObject(named);

/** Agents' ids have no underscore, so no agent has these names. */
export const GET_TASK = 'get_task';
export const CANCEL_TASK = 'cancel_task';

/** The task, for programs. An agent may answer with a message and no task. */
const answerSchema = z.object({
  agent: z.string(),
  taskId: z.string().optional(),
  contextId: z.string().optional(),
  state: z.string().optional().describe('As in A2A: TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, …'),
});
export type StructuredAnswer = z.infer<typeof answerSchema>;

const askInput = objectSchema(askSchema);
const outputSchema = objectSchema(answerSchema);

/** The tools of a caller that may use these agents. */
export function toolsOf(agents: readonly AnnouncedAgent[]): Tool[] {
  return [
    ...agents.map(({ id, card, inputSchema }) => ({
      name: id,
      title: card.name,
      description: described(card),
      inputSchema: withData(askInput, inputSchema),
      outputSchema,
    })),
    {
      name: GET_TASK,
      title: 'Read a task',
      description: 'Reads a task that a tool has started; while it runs, waits for its next change.',
      inputSchema: objectSchema(getTaskSchema),
      outputSchema,
      annotations: { readOnlyHint: true },
    },
    {
      name: CANCEL_TASK,
      title: 'Cancel a task',
      description: 'Cancels a task that a tool has started.',
      inputSchema: objectSchema(cancelTaskSchema),
      outputSchema,
      annotations: { idempotentHint: true },
    },
  ];
}

/** With the schema of the agent's input for `data`, which a message that continues a task need not have. */
function withData(schema: Tool['inputSchema'], inputSchema: AnnouncedAgent['inputSchema']): Tool['inputSchema'] {
  if (!inputSchema) return schema;
  const { $schema: _, ...input } = inputSchema;
  const data = { ...input, description: 'The input of a new task; a message with a taskId needs none.' };
  return { ...schema, properties: { ...schema.properties, data } };
}

/** The description by which models choose an agent. */
function described({ description, skills }: AgentCard): string {
  const lines = skills.map(({ name, description: what, examples = [] }) => {
    const such = examples.length > 0 ? ` For example: ${examples.map((example) => `“${example}”`).join(', ')}` : '';
    return `- ${name}: ${what}${such}`;
  });
  return [description, ...(lines.length > 0 ? ['Skills:', ...lines] : [])].join('\n');
}

/** As MCP's types define it. */
function objectSchema(schema: z.ZodType): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
}
