/** Logs, metrics and traces of gateway and worker. */
export { type AgentLine, agentLine, secretsIn } from './log/agent-line.ts';
export { codeFrames, type ParsedFrame } from './log/code-frames.ts';
export { createLog, type Line, type LogFormat, type LogOptions, logOutput } from './log/create-log.ts';
export { type ErrorFields, ErrorThrottle, errorFields } from './log/error-fields.ts';
export { LevelSwitch } from './log/level-switch.ts';
export { logFields } from './log/log-fields.ts';
export { sourceLine } from './log/source-lines.ts';
export { safeReason, type Thrown, type ThrownErrorOptions, thrownError } from './log/thrown-error.ts';
export { type CatalogueEntry, catalogue, type MetricName, type Program } from './metrics/catalogue.ts';
export { Metrics, type Rendered, type SetGauge } from './metrics/metrics.ts';
export { type SentMessage, type TracedOperation, traceOperation, traceSend } from './traces/gateway-spans.ts';
export { activeTraceContext, activeTraceId, traceContextIn } from './traces/propagation.ts';
export { startTraces, type TraceSettings, type Traces } from './traces/start.ts';
export { isTracing } from './traces/tracing.ts';
export {
  type AttemptEnd,
  type LostAttempt,
  recordLost,
  type TracedMessage,
  type TurnTrace,
  traceTurn,
} from './traces/turn-spans.ts';
export { recordRemembered, traceCall, traceDelivery, traceStep } from './traces/work-spans.ts';
