import { setTimeout as delay } from 'node:timers/promises';
import { type Message, Role, TaskState } from '@a2a-js/sdk';
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server';

const months = ['January', 'February', 'March', 'April', 'May', 'June'];
months.push('July', 'August', 'September', 'October', 'November', 'December');

/** Writes an almanac of a year, line by line. Asks for the year if the message has none. Knows nothing about queues. */
export class AlmanacExecutor implements AgentExecutor {
  readonly #lineMs: number;
  readonly #canceled = new Set<string>();

  constructor(lineMs: number) {
    this.#lineMs = lineMs;
  }

  cancelTask = async (taskId: string): Promise<void> => {
    this.#canceled.add(taskId);
  };

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { task, taskId, contextId, userMessage } = context;
    const update = (state: TaskState, words?: string): void => {
      const status = { state, message: words ? says(context, words) : undefined, timestamp: new Date().toISOString() };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
    };
    const submitted = {
      state: TaskState.TASK_STATE_SUBMITTED,
      message: undefined,
      timestamp: new Date().toISOString(),
    };
    const begun = {
      id: taskId,
      contextId,
      status: submitted,
      artifacts: [],
      history: [userMessage],
      metadata: undefined,
    };
    bus.publish(AgentEvent.task(task ?? begun));
    const year = /\b\d{4}\b/.exec(textOf(userMessage))?.[0];
    if (!year) return update(TaskState.TASK_STATE_INPUT_REQUIRED, 'Of which year?');
    update(TaskState.TASK_STATE_WORKING, `Writing the almanac of ${year}`);
    for (const [index, month] of months.entries()) {
      await delay(this.#lineMs);
      if (this.#canceled.delete(taskId)) return update(TaskState.TASK_STATE_CANCELED);
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, ...line(year, month, index), metadata: undefined }));
    }
    update(TaskState.TASK_STATE_COMPLETED, `The almanac of ${year} is done.`);
  }
}

function line(year: string, month: string, index: number) {
  const begins = new Date(Date.UTC(Number(year), index, 1)).toLocaleDateString('en', {
    weekday: 'long',
    timeZone: 'UTC',
  });
  const part = { content: { $case: 'text' as const, value: `${month} ${year} begins on a ${begins}.\n` } };
  return {
    artifact: {
      artifactId: `almanac-${year}`,
      name: `Almanac ${year}`,
      description: '',
      parts: [{ ...part, metadata: undefined, filename: '', mediaType: '' }],
      metadata: undefined,
      extensions: [],
    },
    append: index > 0,
    lastChunk: index === months.length - 1,
  };
}

function says({ taskId, contextId }: RequestContext, words: string): Message {
  const part = { content: { $case: 'text' as const, value: words }, metadata: undefined, filename: '', mediaType: '' };
  const messageId = crypto.randomUUID();
  const rest = { extensions: [], metadata: undefined, referenceTaskIds: [] };
  return { messageId, role: Role.ROLE_AGENT, parts: [part], taskId, contextId, ...rest };
}

function textOf({ parts }: Message): string {
  return parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ');
}
