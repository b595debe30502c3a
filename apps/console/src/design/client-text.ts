interface Client {
  readonly tenant?: string | undefined;
  readonly subject?: string | undefined;
}

/** The client of a task, the same everywhere. */
export function clientText({ tenant, subject }: Client): string {
  return [tenant, subject].filter(Boolean).join(' / ') || 'anonymous';
}
