/** The value of `{agents}:shards`: how many, how their hash tags are chosen, and the number of the deployment. */
export function shardLayout(shards: number, deployment: number): string {
  const layout = shards === 1 ? '1' : `${shards} spread`;
  return deployment === 0 ? layout : `${layout} deployment ${deployment}`;
}

/** What a layout says. */
export function layoutIn(text: string): { readonly shards: number; readonly deployment: number } {
  const [, deployment = '0'] = / deployment (\d+)$/.exec(text) ?? [];
  return { shards: Number.parseInt(text, 10), deployment: Number(deployment) };
}
