const wellKnownPath = '/.well-known/agent-card.json';

/**
 * Where the card of an agent may be (§8.2), in order: people give the URL of the card, or that of the agent.
 * @param url absolute, with http or https
 */
export function cardUrlsOf(url: string): readonly string[] {
  const { pathname } = new URL(url);
  if (pathname.endsWith('.json')) return [url];
  const below = new URL(url);
  below.pathname = `${pathname.replace(/\/$/, '')}${wellKnownPath}`;
  return pathname === '/' ? [below.href] : [url, below.href];
}
