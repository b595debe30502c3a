import type { AnnouncedAgent } from '@switchyard/store';
import type { GatewayContext } from '../bindings/gateway-context.ts';
import { writeError } from '../bindings/rest/write.ts';
import { agentUrl, cardPath } from '../cards/endpoints.ts';
import { baseUrl } from '../exchange/base-url.ts';
import type { Handler } from '../exchange/exchange.ts';
import { respond } from '../exchange/respond.ts';

/** One agent in the answer to `GET /agents`. */
export interface ListedAgent {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** Served at the root too. */
  readonly isDefault: boolean;
  /** Alive now; 0: messages are accepted and wait. */
  readonly workers: number;
  readonly url: string;
  readonly card: string;
}

/** What is announced. Not A2A: a gateway's own. */
export function serveAgentList(context: GatewayContext): Handler {
  return async (req, res) => {
    try {
      await context.authenticator.authenticate(req.headers);
      const base = baseUrl(req, context.settings);
      const first = context.agents.default?.id;
      const agents = context.agents.list().map((agent) => listed(agent, { base, isDefault: agent.id === first }));
      respond(res, 'application/json', JSON.stringify({ agents }));
    } catch (thrown) {
      writeError(context, { req, res }, thrown);
    }
  };
}

function listed(
  { id, card, workers }: AnnouncedAgent,
  { base, isDefault }: { base: string; isDefault: boolean },
): ListedAgent {
  const { name, description, version } = card;
  const url = agentUrl(base, id);
  return { id, name, description, version, isDefault, workers, url, card: url + cardPath };
}
