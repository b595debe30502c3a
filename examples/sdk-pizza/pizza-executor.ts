import { type Message, Role, type Task, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

const menu: Readonly<Record<string, RegExp>> = {
  Hawaiian: /pineapple|hawai/i,
  Margherita: /margh?erita/i,
  Funghi: /funghi|mushroom/i,
};

/** The pizza desk, written for `@a2a-js/sdk` as in its documentation, without Switchyard. */
export class PizzaExecutor implements AgentExecutor {
  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    bus.publish(AgentEvent.task(context.task ?? newTask(context)));
    const say = (state: TaskState, words?: string): void => {
      const { taskId, contextId } = context;
      const status = {
        state,
        message: words ? message(context, words) : undefined,
        timestamp: new Date().toISOString(),
      };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    };
    say(TaskState.TASK_STATE_WORKING);
    const messages = context.task?.history ?? [context.userMessage];
    const pizza = Object.keys(menu).find((kind) => messages.some((each) => menu[kind]?.test(textOf(each))));
    if (pizza) {
      bus.publish(AgentEvent.artifactUpdate(receipt(context, pizza)));
      say(TaskState.TASK_STATE_COMPLETED, `Your ${pizza} pizza is on its way.`);
    } else {
      const wasAsked = context.task?.status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;
      say(TaskState.TASK_STATE_INPUT_REQUIRED, wasAsked ? `We have ${Object.keys(menu).join(', ')}.` : 'What kind?');
    }
    bus.finished();
  }

  async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
    const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }));
  }
}

function newTask({ taskId, contextId, userMessage }: RequestContext): Task {
  const status = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: new Date().toISOString() };
  return { id: taskId, contextId, status, artifacts: [], history: [userMessage], metadata: undefined };
}

function receipt({ taskId, contextId }: RequestContext, pizza: string) {
  const part = { content: { $case: 'data' as const, value: { pizza, price: 9 } }, metadata: undefined };
  const artifact = {
    artifactId: 'receipt',
    name: 'Receipt',
    description: 'What you pay',
    parts: [{ ...part, filename: '', mediaType: 'application/json' }],
    metadata: undefined,
    extensions: [],
  };
  return { taskId, contextId, artifact, append: false, lastChunk: true, metadata: undefined };
}

function message({ taskId, contextId }: RequestContext, words: string): Message {
  const part = { content: { $case: 'text' as const, value: words }, metadata: undefined, filename: '', mediaType: '' };
  const rest = { extensions: [], metadata: undefined, referenceTaskIds: [] };
  return { messageId: crypto.randomUUID(), role: Role.ROLE_AGENT, parts: [part], taskId, contextId, ...rest };
}

function textOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ');
}
