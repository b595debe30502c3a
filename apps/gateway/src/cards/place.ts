/** Where a caller found an agent: what its card says of where it is reached depends on it. */
export interface Place {
  /** Base URL of the gateway, without a slash at its end. */
  readonly base: string;
  /** Unset: at the root. */
  readonly agentId: string | undefined;
}

/** @param named by the path or by the tenant of a request */
export function placeAt(
  base: string,
  agentId: string | undefined,
  tenant: { named: unknown; selected: string },
): Place {
  return { base, agentId: agentId ?? (tenant.named === tenant.selected ? tenant.selected : undefined) };
}
