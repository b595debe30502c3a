import { randomUUID } from 'node:crypto';
import {
  acceptedContent,
  type CallToolRequest,
  type CallToolResult,
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  ProtocolError,
  Server,
  type ServerContext,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { isInterrupted, type Task, toJsonRpcError } from '@switchyard/protocol';
import { parse } from '@switchyard/protocol/schemas';
import { z } from 'zod';
import { agentOfCall } from '../agents/agent-directory.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { reportFailure } from '../exchange/exchange.ts';
import { askAgent, type Outcome, outcomeOfCancel, outcomeOfTask } from './ask-agent.ts';
import { type CalledAgent, McpCall, type McpRequest } from './mcp-call.ts';
import { messageSettingsIn } from './message-settings.ts';
import { errorResult, questionIn, resultOf } from './tool-result.ts';
import { askSchema, CANCEL_TASK, cancelTaskSchema, GET_TASK, getTaskSchema, toolsOf } from './tools.ts';

/**
 * Agents as MCP tools; only translates. Each request has its own server, so that any gateway can serve the next one:
 * protocol revision 2026-07-28, and earlier ones without sessions.
 */
export class McpToolsServer {
  readonly #context: GatewayContext;
  readonly #bus: ServerEventBus;

  constructor(context: GatewayContext) {
    this.#context = context;
    this.#bus = {
      publish: () => undefined,
      subscribe: (listener) => context.agents.onChange(() => listener({ kind: 'tools_list_changed' })),
    };
  }

  /** @param body parsed */
  answer(web: Request, body: unknown, request: McpRequest): Promise<Response> {
    const { fetch } = createMcpHandler(({ era }) => this.#serverOf(request, era === 'modern'), {
      bus: this.#bus,
      keepAliveMs: this.#context.settings.heartbeatMs,
    });
    return fetch(web, { parsedBody: body });
  }

  #serverOf(request: McpRequest, mayAsk: boolean): Server {
    const server = new Server(
      { name: 'switchyard', version: '1' },
      {
        capabilities: { tools: { listChanged: true } },
        instructions: `Each tool is an agent. A task continues after its call: ${GET_TASK} reads it.`,
        // Without a session a client of an earlier revision cannot be asked.
        inputRequired: { legacyShim: false },
      },
    );
    server.setRequestHandler('tools/list', () => this.#list(request));
    server.setRequestHandler('tools/call', ({ params }, ctx) => {
      const canAsk = mayAsk && server.getClientCapabilities()?.elicitation !== undefined;
      return this.#callTool(request, { params, ctx, canAsk });
    });
    return server;
  }

  #list({ exchange, admission }: McpRequest): { tools: ReturnType<typeof toolsOf> } {
    try {
      admission.permit('ListAgents');
      return { tools: toolsOf(this.#context.agents.list().filter(({ id }) => admission.canUse(id))) };
    } catch (thrown) {
      const { code, message, data } = toJsonRpcError(reportFailure(this.#context, exchange, thrown));
      throw new ProtocolError(code, message, data);
    }
  }

  async #callTool(request: McpRequest, given: GivenCall): Promise<CallToolResult | InputRequiredResult> {
    const { name, arguments: args = {} } = given.params;
    try {
      if (name === GET_TASK) {
        const { agent, taskId, waitSeconds } = parse(getTaskSchema, args);
        const call = this.#call(request, agent, { waitMs: waitSeconds * 1_000 });
        return resultOf(agent, await outcomeOfTask(this.#context, call, taskId));
      }
      if (name === CANCEL_TASK) {
        const { agent, taskId } = parse(cancelTaskSchema, args);
        const outcome = await outcomeOfCancel(this.#context, this.#call(request, agent), taskId);
        return resultOf(agent, outcome, 'TASK_STATE_CANCELED');
      }
      return await this.#ask(request, given);
    } catch (thrown) {
      return errorResult(reportFailure(this.#context, request.exchange, thrown));
    }
  }

  async #ask(request: McpRequest, { params, ctx, canAsk }: GivenCall): Promise<CallToolResult | InputRequiredResult> {
    const { messageId, metadata } = messageSettingsIn(ctx.mcpReq._meta);
    const call = this.#call(request, params.name, { extensions: Object.keys(metadata) });
    const ask = parse(askSchema, params.arguments ?? {});
    const asked = questionAsked(ctx);
    const answered = asked && acceptedContent(ctx.mcpReq.inputResponses, 'answer', answerSchema);
    // The user has declined to answer: the task still waits.
    if (asked && !answered) return resultOf(params.name, await outcomeOfTask(this.#context, call, asked.taskId));
    const message = answered ? { message: answered.answer, taskId: asked.taskId } : ask;
    const outcome = await askAgent(this.#context, call, message, {
      messageId: messageIdOf(messageId, asked?.round ?? 0),
      metadata,
      onProgress: progressOf(ctx),
    });
    const task = canAsk ? waitingTask(outcome) : undefined;
    return task ? elicitation(task, (asked?.round ?? 0) + 1) : resultOf(params.name, outcome);
  }

  /** @throws {A2AError} NotFound */
  #call(request: McpRequest, agentId: string, options: Pick<CalledAgent, 'waitMs' | 'extensions'> = {}): McpCall {
    const agent = agentOfCall(this.#context.agents, request.admission, { agentId });
    return new McpCall(this.#context, request, { agent, ...options });
  }
}

interface GivenCall {
  readonly params: CallToolRequest['params'];
  readonly ctx: ServerContext;
  /** Whether the client accepts elicitations during a call. */
  readonly canAsk: boolean;
}

/** A message of the client is one message of a task; further answers within the same call have ids derived from it. */
function messageIdOf(named: string | undefined, round: number): string {
  if (named === undefined) return randomUUID();
  return round === 0 ? named : `${named}.${round}`;
}

function progressOf({ mcpReq }: ServerContext): ((what: string) => Promise<void>) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return async (message) => {
    const params = { progressToken, progress: ++progress, message };
    // A client that has disconnected gets nothing; its task continues.
    await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** A task that asks for input, not for authorization. */
function waitingTask(outcome: Outcome): Task | undefined {
  if (!('task' in outcome)) return undefined;
  const { state } = outcome.task.status;
  return isInterrupted(state) && state !== 'TASK_STATE_AUTH_REQUIRED' ? outcome.task : undefined;
}

const answerSchema = z.object({ answer: z.string() });
/** State that the client returns: ownership of the task is checked as for any message. */
const questionSchema = z.object({ taskId: z.string(), round: z.int().min(1) });

/** The client asks its user, and repeats the call with the answer. */
function elicitation(task: Task, round: number): InputRequiredResult {
  const question = { message: questionIn(task), requestedSchema: answerSchema };
  return inputRequired({
    inputRequests: { answer: inputRequired.elicit(question) },
    requestState: JSON.stringify({ taskId: task.id, round } satisfies z.infer<typeof questionSchema>),
  });
}

/** @throws {A2AError} InvalidParams */
function questionAsked({ mcpReq }: ServerContext): z.infer<typeof questionSchema> | undefined {
  const state = mcpReq.requestState<string>();
  return state === undefined ? undefined : parse(questionSchema, jsonIn(state), 'requestState');
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The schema refuses it.
  }
}
