import { createHash } from 'node:crypto';
import type { AnnouncedAgent } from '@switchyard/store';
import Negotiator from 'negotiator';
import { agentUrl, cardPath } from '../agents/endpoints.ts';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { refuseVerb } from '../bindings/rest.ts';
import { baseUrl } from '../exchange/addresses.ts';
import { type Handler, respond } from '../exchange/exchange.ts';

/** Agents on the page; `GET /agents` has all. */
const MAX_SHOWN = 100;

/**
 * `GET /`: for a person with a browser a page with the agents and how to call them. Others get 405, because the path
 * is for JSON-RPC.
 */
export function serveFrontPage(context: GatewayContext): Handler {
  const refuse = refuseVerb(context, 'POST');
  return (req, res) => {
    res.appendHeader('Vary', 'Accept');
    if (!isBrowser(req.headers.accept)) return refuse(req, res);
    const html = pageOf(context, baseUrl(req, context.settings));
    res.setHeader('Content-Security-Policy', policy);
    respond(res, 'text/html; charset=utf-8', html, ['Cache-Control', 'no-store']);
  };
}

/** Browsers ask for HTML by name; programs that accept everything do not. */
function isBrowser(accept = ''): boolean {
  if (!accept.includes('text/html')) return false;
  return new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/html']) === 'text/html';
}

/** Without authentication all agents; otherwise only the default one, whose card everybody gets at the root. */
function shownAgents({ agents, isAnonymous }: GatewayContext): readonly AnnouncedAgent[] {
  if (isAnonymous) return agents.list();
  return agents.default ? [agents.default] : [];
}

function pageOf(context: GatewayContext, base: string): string {
  const shown = shownAgents(context);
  const listed = shown.slice(0, MAX_SHOWN).map((agent) => agentSection(agent, agentUrl(base, agent.id)));
  const consoleUrl = context.consoleUrl();
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Agents at ${escaped(new URL(base).host)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Agents</h1>
<p>This is a gateway for programs: it speaks the <a href="https://a2a-protocol.org">Agent2Agent protocol</a> (A2A).
Send messages to the agents below, or give a client the address of an agent's card.</p>
${context.isAnonymous ? '' : `<p>Requests need a credential: the agent's card says which. With it, <code>${escaped(base)}/agents</code> lists your agents.</p>`}
${listed.join('\n') || '<p>No worker has announced an agent yet.</p>'}
${shown.length > MAX_SHOWN ? `<p>And ${shown.length - MAX_SHOWN} more: <a href="/agents">all agents</a>, as JSON.</p>` : ''}
${consoleUrl === undefined ? '' : `<p>For operators: <a href="${escaped(consoleUrl)}">the console</a>.</p>`}
</main>
</body>
</html>
`;
}

function agentSection({ id, card, workers }: AnnouncedAgent, url: string): string {
  const { name, description, version } = card;
  return `<section>
<h2>${escaped(name)} <small>${escaped(version)}</small></h2>
<p>${escaped(description)}</p>
${workers === 0 ? '<p class="note">No worker runs it now: messages are accepted, and wait.</p>' : ''}
<dl>
<dt>Card</dt><dd><a href="${escaped(url + cardPath)}">${escaped(url + cardPath)}</a></dd>
<dt>JSON-RPC, HTTP+JSON</dt><dd><code>${escaped(url)}</code></dd>
</dl>
<details><summary>Send a message to ${escaped(id)}</summary>
<pre><code>${escaped(exampleOf(url))}</code></pre></details>
</section>`;
}

function exampleOf(url: string): string {
  const message = { messageId: 'a-new-id-for-each', role: 'ROLE_USER', parts: [{ text: 'Hello' }] };
  return `curl ${url}/message:send \\\n  -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \\\n  -d '${JSON.stringify({ message })}'`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For text and quoted attributes: names and descriptions are the agents', the host is the client's. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d9dde3, #363c45); --quiet: light-dark(#5a6472, #9aa4b2); }
body { margin: 0; background: light-dark(#fbfbfc, #16191d); color: light-dark(#1b2027, #e4e8ed);
  font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.15rem; margin: 0; } p { margin: .5rem 0; }
small, dt, .note { color: var(--quiet); font-size: .875rem; font-weight: 400; }
section { border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; margin: 1rem 0;
  background: light-dark(#fff, #1c2025); }
dl { margin: .75rem 0; } dt { margin-top: .5rem; } dd { margin: 0; }
a { color: light-dark(#0b5cad, #7db7f5); }
code { font: .875rem ui-monospace, monospace; }
pre { overflow-x: auto; margin: .5rem 0 0; padding: .75rem; border: 1px solid var(--line); border-radius: .375rem; }
summary { cursor: pointer; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
