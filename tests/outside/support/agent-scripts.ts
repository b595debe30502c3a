import type { Chance } from './chance.ts';
import type { Binding, Version } from './odd-agent.ts';

/** What a turn with the agent has as its result, whatever form the agent's answer has. */
export interface Outcome {
  readonly state: 'COMPLETED' | 'INPUT_REQUIRED' | 'FAILED';
  readonly said: string;
  /** The texts of artifacts; undefined: the agent answers with a plain message. */
  readonly artifacts?: readonly string[];
}

const taskId = 'task-1';
const contextId = 'context-1';

/** The events of an answer, and its task at the end, in the form of a binding and version. */
export function scriptOf(
  outcome: Outcome,
  way: { readonly binding: Binding; readonly version: Version },
  chance: Chance,
) {
  const form = way.version === '1.0' ? form10 : way.binding === 'JSONRPC' ? form03 : form03Rest;
  const said = form.message('said', [outcome.said]);
  if (!outcome.artifacts) {
    const pieces = chance.oneIn(3) ? chance.pieces(outcome.said, 12) : [outcome.said];
    return { events: pieces.map((piece) => form.answer(form.message('said', [piece]))), whole: form.answer(said) };
  }
  const artifacts = outcome.artifacts.map((text, index) => ({ id: `artifact-${index}`, text }));
  const chunks = artifacts.flatMap(({ id, text }) =>
    chance.pieces(text, 12).map((piece, index) => form.artifact(form.parts(id, [piece]), index > 0)),
  );
  const task = form.task('SUBMITTED', undefined, []);
  const working = form.status('WORKING', undefined, false);
  const end = form.status(outcome.state, said, true);
  const whole = form.task(
    outcome.state,
    said,
    artifacts.map(({ id, text }) => form.parts(id, [text])),
  );
  const begins = chance.oneIn(3) ? [working] : [task, ...(chance.oneIn(2) ? [working] : [])];
  return { events: [...begins, ...chunks, end], whole: whole };
}

const roles = { role: 'ROLE_AGENT' };
const state10 = (state: string) => `TASK_STATE_${state}`;

/** How a version and binding writes what an agent sends. */
interface Form {
  message(messageId: string, texts: readonly string[]): object;
  parts(artifactId: string, texts: readonly string[]): object;
  answer(message: object): object;
  status(state: string, message: object | undefined, final: boolean): object;
  artifact(artifact: object, append: boolean): object;
  task(state: string, message: object | undefined, artifacts: readonly object[]): object;
}

const form10: Form = {
  message: (messageId: string, texts: readonly string[]) => ({
    messageId,
    ...roles,
    parts: texts.map((text) => ({ text })),
  }),
  parts: (artifactId: string, texts: readonly string[]) => ({ artifactId, parts: texts.map((text) => ({ text })) }),
  answer: (message: object): object => ({ message }),
  status: (state: string, message: object | undefined, _: boolean): object => ({
    statusUpdate: { taskId, contextId, status: { state: state10(state), ...(message && { message }) } },
  }),
  artifact: (artifact: object, append: boolean): object => ({
    artifactUpdate: { taskId, contextId, artifact, append },
  }),
  task: (state: string, message: object | undefined, artifacts: readonly object[]): object => ({
    task: { id: taskId, contextId, status: { state: state10(state), ...(message && { message }) }, artifacts },
  }),
};

const state03 = (state: string) => state.toLowerCase().replace('_', '-');

const form03: Form = {
  message: (messageId, texts) => ({
    messageId,
    ...{ kind: 'message', role: 'agent' },
    parts: texts.map((text) => ({ kind: 'text', text })),
  }),
  parts: (artifactId, texts) => ({ artifactId, parts: texts.map((text) => ({ kind: 'text', text })) }),
  answer: (message) => message,
  status: (state, message, final) => ({
    kind: 'status-update',
    taskId,
    contextId,
    final,
    status: { state: state03(state), ...(message && { message }) },
  }),
  artifact: (artifact, append) => ({ kind: 'artifact-update', taskId, contextId, artifact, append }),
  task: (state, message, artifacts) => ({
    kind: 'task',
    id: taskId,
    contextId,
    status: { state: state03(state), ...(message && { message }) },
    artifacts,
  }),
};

const form03Rest: Form = {
  ...form10,
  message: (messageId, texts) => ({ messageId, ...roles, content: texts.map((text) => ({ text })) }),
  answer: (message) => ({ message }),
  status: (state, update, final) => ({
    statusUpdate: { taskId, contextId, final, status: { state: state10(state), ...(update && { update }) } },
  }),
  task: (state, update, artifacts) => ({
    task: { id: taskId, contextId, status: { state: state10(state), ...(update && { update }) }, artifacts },
  }),
};
