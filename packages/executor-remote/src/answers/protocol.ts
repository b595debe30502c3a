/** How an agent is called. */
export interface Protocol {
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: '1.0' | '0.3';
}
