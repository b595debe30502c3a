/** Logs, metrics and traces of gateway and worker. */
export { agentLine, secretsIn } from './log/agent-line.ts';
export { createLog, type Line, type LogFormat, logOutput } from './log/create-log.ts';
export { ErrorThrottle, errorFields } from './log/error-fields.ts';
export { textOfThrown } from './log/error-message.ts';
export { LevelSwitch } from './log/level-switch.ts';
export { logFields } from './log/log-fields.ts';
export { safeReason, type ThrownErrorOptions, thrownError } from './log/thrown-error.ts';
export { type CatalogueEntry, catalogue } from './metrics/catalogue.ts';
export { Metrics, type Rendered } from './metrics/metrics.ts';
export { traceOperation, traceSend } from './traces/gateway-spans.ts';
export { activeTraceContext, activeTraceId, traceContextIn } from './traces/propagation.ts';
export { startTraces, type TraceSettings, type Traces } from './traces/start.ts';
export { isTracing } from './traces/tracing.ts';
export { type AttemptEnd, type TurnTrace, traceTurn } from './traces/turn-spans.ts';
export { recordRemembered, traceCall, traceDelivery, traceStep } from './traces/work-spans.ts';
