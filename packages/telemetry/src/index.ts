/** Logs, metrics and traces of gateway and worker. */
export {};
