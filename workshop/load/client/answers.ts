import { taskStateSchema } from '@switchyard/protocol';
import { z } from 'zod';
import { failed, type Outcome, succeeded } from './outcome.ts';

/** As much of a task as a load test looks at: whole ones would cost more to check than to serve. */
const taskViewSchema = z.object({ id: z.string(), status: z.object({ state: taskStateSchema }) });
export type TaskView = z.output<typeof taskViewSchema>;

/** A2A 3.2.3: a task, or a message and no task. */
const sendResultSchema = z.union([z.object({ task: taskViewSchema }), z.object({ message: z.object({}) })]);
export type SendResult = z.output<typeof sendResultSchema>;

const statusUpdateSchema = z.object({ taskId: z.string(), status: taskViewSchema.shape.status });
const artifactUpdateSchema = z.object({
  taskId: z.string(),
  artifact: z.object({ parts: z.array(z.object({ text: z.string().optional() })) }),
});

/** A2A 3.2.4. */
const streamEventSchema = z.union([
  z.object({ statusUpdate: statusUpdateSchema }),
  z.object({ artifactUpdate: artifactUpdateSchema }),
  z.object({ task: taskViewSchema }),
  z.object({ message: z.object({}) }),
]);
export type StreamEvent = z.output<typeof streamEventSchema>;

export const readTaskView = reader(taskViewSchema);
export const readSendResult = reader(sendResultSchema);
export const readStreamEvent = reader(streamEventSchema);

function reader<S extends z.ZodType>(schema: S): (result: unknown) => Outcome<z.output<S>> {
  return (result) => {
    const { success, data } = schema.safeParse(result);
    return success ? succeeded(data) : failed('unreadable answer', JSON.stringify(result));
  };
}
