/** Logs, metrics and traces of gateway and worker. */
export { type ErrorFields, ErrorThrottle, errorFields } from './log/error-fields.ts';
export { logFields } from './log/log-fields.ts';
