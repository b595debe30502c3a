/**
 * Names of spans, by OpenTelemetry's semantic conventions for messaging and for agents (`gen_ai`). The conventions for
 * A2A (`a2a`) are a draft and may change.
 */
export const spanName = {
  send: (agent: string) => `send ${agent}`,
  process: (agent: string) => `process ${agent}`,
  invokeAgent: (name: string) => `invoke_agent ${name}`,
  step: (name: string) => `step ${name}`,
  call: (agent: string) => `call ${agent}`,
  push: (origin: string) => `push ${origin}`,
} as const;

export const attribute = {
  method: 'a2a.method.name',
  task: 'a2a.task.id',
  state: 'a2a.task.state',
  message: 'a2a.message.id',
  conversation: 'gen_ai.conversation.id',
  genAiOperation: 'gen_ai.operation.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  messagingSystem: 'messaging.system',
  messagingOperation: 'messaging.operation.name',
  messagingType: 'messaging.operation.type',
  destination: 'messaging.destination.name',
  messagingMessage: 'messaging.message.id',
  error: 'error.type',
  httpMethod: 'http.request.method',
  httpStatus: 'http.response.status_code',
  server: 'server.address',
  tenant: 'switchyard.tenant',
  attempt: 'switchyard.attempt',
  epoch: 'switchyard.epoch',
  waitedMs: 'switchyard.queue.wait_ms',
  worker: 'switchyard.worker',
  isRemembered: 'switchyard.remembered',
  result: 'switchyard.result',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  microUsd: 'switchyard.micro_usd',
} as const;

/** The attributes of a span that sends or processes a queued message. */
export function messaging(operation: 'send' | 'process', agent: string, messageId: string) {
  return {
    [attribute.messagingSystem]: 'switchyard',
    [attribute.messagingOperation]: operation,
    [attribute.messagingType]: operation,
    [attribute.destination]: agent,
    [attribute.messagingMessage]: messageId,
  };
}
