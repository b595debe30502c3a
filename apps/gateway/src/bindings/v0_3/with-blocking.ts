/**
 * The SDK takes `configuration` without `blocking` for a call that does not wait. Version 0.3's own servers waited
 * unless they were told not to, so what is not said is what this gateway does by default. For JSON-RPC only: where
 * the wire is protobuf or its JSON, a client that says "do not wait" and one that says nothing send the same.
 */
export function withBlocking(params: object, blocking: boolean): object {
  if (!('configuration' in params)) return params;
  const { configuration } = params;
  if (typeof configuration !== 'object' || configuration === null || 'blocking' in configuration) return params;
  return { ...params, configuration: { ...configuration, blocking } };
}
