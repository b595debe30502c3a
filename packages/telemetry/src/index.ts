/** Logs, metrics and traces of gateway and worker. */
export { createLog, type Line, type LogOptions, logOutput } from './log/create-log.ts';
export { type ErrorFields, ErrorThrottle, errorFields } from './log/error-fields.ts';
export { logFields } from './log/log-fields.ts';
export { type CatalogueEntry, catalogue, type Home, type MetricName } from './metrics/catalogue.ts';
export { Metrics, type Rendered, type SetGauge } from './metrics/metrics.ts';
