import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/server';
import type { A2AError, Part, Task, TaskState } from '@switchyard/protocol';
import { type Outcome, textOfParts } from './ask-agent.ts';
import { GET_TASK, type StructuredAnswer } from './tools.ts';

/**
 * The agent's messages and artifacts, and what to do next: as content for models, in `structuredContent` for programs.
 * @param wanted the state to which the call should lead: not an error
 */
export function resultOf(agent: string, outcome: Outcome, wanted?: TaskState): CallToolResult {
  if ('message' in outcome) {
    const { message } = outcome;
    const content = message.parts.map((part, i) => blockOf(part, `${message.messageId}/${i}`));
    const { contextId } = message;
    return { content, structuredContent: structured({ agent, ...(contextId !== undefined && { contextId }) }) };
  }
  const { task } = outcome;
  const { id, contextId = id, status } = task;
  const made = contentOf(task);
  const next = nextStep(agent, task);
  const content = next === undefined ? made : [...made, { type: 'text' as const, text: next }];
  return {
    content:
      content.length > 0 ? content : [{ type: 'text', text: 'The agent has completed the task without a text.' }],
    structuredContent: structured({ agent, taskId: id, contextId, state: status.state }),
    ...(failed.includes(status.state) && status.state !== wanted && { isError: true }),
  };
}

/** An operation was refused or failed: models can read the error and correct the call. */
export function errorResult(error: A2AError): CallToolResult {
  const wrong = error.violations.map(({ field, description }) => `${field} ${description}`);
  const again = error.retryAfterSeconds === undefined ? [] : [`Try again in ${error.retryAfterSeconds} s.`];
  return { content: [{ type: 'text', text: [error.message, ...wrong, ...again].join('\n') }], isError: true };
}

/** Task states that need an answer. */
export function questionIn({ status }: Task): string {
  return textOfParts(status.message?.parts ?? []) || 'The agent asks for input.';
}

const failed: readonly TaskState[] = ['TASK_STATE_FAILED', 'TASK_STATE_REJECTED', 'TASK_STATE_CANCELED'];

/** Instructions for models besides the agent's answer; undefined: nothing to do. */
function nextStep(agent: string, { id, status }: Task): string | undefined {
  const read = `call ${GET_TASK} with agent "${agent}" and taskId "${id}"`;
  switch (status.state) {
    case 'TASK_STATE_COMPLETED':
      return undefined;
    case 'TASK_STATE_INPUT_REQUIRED':
      return `The agent waits for an answer: call ${agent} again with it as message, and with taskId "${id}".`;
    case 'TASK_STATE_AUTH_REQUIRED':
      return `The agent waits for an authorization outside of this conversation. To see whether it continues, ${read}.`;
    case 'TASK_STATE_FAILED':
      return 'The task has failed.';
    case 'TASK_STATE_REJECTED':
      return 'The agent has rejected the task.';
    case 'TASK_STATE_CANCELED':
      return 'The task was canceled.';
    default:
      return `The agent is still working on the task. For its result, ${read}.`;
  }
}

function contentOf({ id, status, artifacts = [] }: Task): ContentBlock[] {
  const said = status.message?.parts ?? [];
  return [
    ...artifacts.flatMap(({ artifactId, parts }) => parts.map((part, i) => blockOf(part, `${id}/${artifactId}/${i}`))),
    ...said.map((part, i) => blockOf(part, `${id}/status/${i}`)),
  ];
}

/** @param place in its task, for the URI of a file without one */
function blockOf({ text, data, url, raw, mediaType, filename }: Part, place: string): ContentBlock {
  const type = mediaType === undefined ? {} : { mimeType: mediaType };
  if (text !== undefined) return { type: 'text', text };
  if (url !== undefined) return { type: 'resource_link', uri: url, name: filename ?? url, ...type };
  if (raw === undefined) return { type: 'text', text: JSON.stringify(data) };
  if (mediaType?.startsWith('image/')) return { type: 'image', data: raw, mimeType: mediaType };
  if (mediaType?.startsWith('audio/')) return { type: 'audio', data: raw, mimeType: mediaType };
  const uri = `a2a:${encodeURI(place)}${filename === undefined ? '' : `/${encodeURIComponent(filename.toWellFormed())}`}`;
  return { type: 'resource', resource: { uri, blob: raw, ...type } };
}

/** As MCP's types define it. */
const structured = (answer: StructuredAnswer): Record<string, unknown> => ({ ...answer });
