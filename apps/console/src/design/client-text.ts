/** The client of a task, the same everywhere. */
export function clientText({ tenant, subject }: { readonly tenant?: string; readonly subject?: string }): string {
  return [tenant, subject].filter(Boolean).join(' / ') || 'anonymous';
}
