import { setTimeout as delay } from 'node:timers/promises';
import { type Message, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

type Run = (context: RequestContext, bus: ExecutionEventBus) => Promise<void>;

/** Executors as authors of the SDK write them. */
export function executorThat(execute: Run, cancelTask: AgentExecutor['cancelTask'] = async () => undefined) {
  return { execute, cancelTask } satisfies AgentExecutor;
}

export const text = (value: string) => ({
  content: { $case: 'text' as const, value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

export function says({ taskId, contextId }: RequestContext, words: string): Message {
  return {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_AGENT,
    parts: [text(words)],
    taskId,
    contextId,
    extensions: [],
    metadata: undefined,
    referenceTaskIds: [],
  };
}

export function newTask(context: RequestContext): Task {
  return {
    id: context.taskId,
    contextId: context.contextId,
    status: status(TaskState.TASK_STATE_SUBMITTED),
    artifacts: [],
    history: [context.userMessage],
    metadata: undefined,
  };
}

export function status(state: TaskState, message?: Message): TaskStatus {
  return { state, message, timestamp: new Date().toISOString() };
}

export function update({ taskId, contextId }: RequestContext, state: TaskState, message?: Message) {
  return AgentEvent.statusUpdate({ taskId, contextId, status: status(state, message), metadata: undefined });
}

/** Works in three steps, and checks before each whether it was canceled. */
export class StepByStep implements AgentExecutor {
  readonly #canceled = new Set<string>();

  cancelTask = async (taskId: string): Promise<void> => {
    this.#canceled.add(taskId);
  };

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    bus.publish(AgentEvent.task(context.task ?? newTask(context)));
    for (let step = 1; step <= 300; step++) {
      if (this.#canceled.has(context.taskId)) {
        bus.publish(update(context, TaskState.TASK_STATE_CANCELED, says(context, 'Stopped, as you asked.')));
        return;
      }
      if (step === 1) bus.publish(update(context, TaskState.TASK_STATE_WORKING, says(context, 'At work')));
      await delay(10);
    }
    bus.publish(update(context, TaskState.TASK_STATE_COMPLETED));
  }
}

/** Executors of the same kinds as the SDK's samples. */
export const samples: Readonly<Record<string, AgentExecutor>> = {
  'a task, a word in between, a result and an end': executorThat(async (context, bus) => {
    bus.publish(AgentEvent.task(context.task ?? newTask(context)));
    bus.publish(update(context, TaskState.TASK_STATE_WORKING, says(context, 'Looking it up')));
    await delay(5);
    const artifact = {
      artifactId: 'result',
      name: 'Result',
      description: 'What was found',
      parts: [text('42')],
      metadata: { k: 1 },
      extensions: [],
    };
    bus.publish(
      AgentEvent.artifactUpdate({ ...ids(context), artifact, append: false, lastChunk: true, metadata: undefined }),
    );
    bus.publish(update(context, TaskState.TASK_STATE_COMPLETED));
  }),

  'a plain message': executorThat(async (context, bus) => {
    bus.publish(AgentEvent.message(says(context, `You said ${context.userMessage.parts.length} part`)));
  }),

  'a task that is complete at once': executorThat(async (context, bus) => {
    const artifacts = [
      { artifactId: 'a', name: 'A', description: '', parts: [text('ready')], metadata: undefined, extensions: [] },
    ];
    const done = status(TaskState.TASK_STATE_COMPLETED);
    bus.publish(AgentEvent.task({ ...newTask(context), status: done, artifacts, metadata: undefined }));
  }),

  'an artifact in chunks, from one object that is used again and again, with an append to begin with': executorThat(
    async (context, bus) => {
      bus.publish(AgentEvent.task(newTask(context)));
      const artifact = {
        artifactId: 'log',
        name: 'Log',
        description: '',
        parts: [text('')],
        metadata: undefined,
        extensions: [],
      };
      for (const word of ['one ', 'two ', 'three']) {
        artifact.parts.splice(0, 1, text(word));
        bus.publish(
          AgentEvent.artifactUpdate({ ...ids(context), artifact, append: true, lastChunk: false, metadata: undefined }),
        );
        await delay(5);
      }
      bus.publish(update(context, TaskState.TASK_STATE_COMPLETED, says(context, 'Written')));
    },
  ),

  'a rejection': executorThat(async (context, bus) => {
    bus.publish(AgentEvent.task(newTask(context)));
    bus.publish(update(context, TaskState.TASK_STATE_REJECTED, says(context, 'Not today')));
  }),

  'words after the end, which nobody hears': executorThat(async (context, bus) => {
    bus.publish(AgentEvent.task(newTask(context)));
    bus.publish(update(context, TaskState.TASK_STATE_FAILED, says(context, 'It broke')));
    bus.publish(update(context, TaskState.TASK_STATE_COMPLETED, says(context, 'Never mind')));
  }),
};

/** Asks until it knows which pizza, from the history of the task. */
export const pizzaDesk = executorThat(async (context, bus) => {
  bus.publish(AgentEvent.task(context.task ?? newTask(context)));
  bus.publish(update(context, TaskState.TASK_STATE_WORKING));
  const said = context.task?.history ?? [context.userMessage];
  const words = said.flatMap(({ parts }) =>
    parts.flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : [])),
  );
  const wasAsked = context.task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
  if (words.some((word) => /pineapple/i.test(word)))
    bus.publish(
      update(context, TaskState.TASK_STATE_COMPLETED, says(context, `Hawaiian, after ${said.length} messages`)),
    );
  else
    bus.publish(
      update(context, TaskState.TASK_STATE_INPUT_REQUIRED, says(context, wasAsked ? 'Which one?' : 'What kind?')),
    );
});

function ids({ taskId, contextId }: RequestContext) {
  return { taskId, contextId };
}
