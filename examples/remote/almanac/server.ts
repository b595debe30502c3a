import { once } from 'node:events';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { AlmanacExecutor } from './almanac-executor.ts';

export interface Almanac {
  readonly cardUrl: string;
  close(): Promise<void>;
}

/** A typical server of the SDK: one process, with its tasks in memory. */
export async function startAlmanac({ port, lineMs }: { port: number; lineMs: number }): Promise<Almanac> {
  const app = express();
  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  const requestHandler = new DefaultRequestHandler(card(url), new InMemoryTaskStore(), new AlmanacExecutor(lineMs));
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return {
    cardUrl: `${url}/.well-known/agent-card.json`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function card(url: string): AgentCard {
  return AgentCard.fromJSON({
    name: 'Almanac',
    description: 'Writes the almanac of a year.',
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'almanac',
        name: 'Almanac',
        description: 'On which day of the week each month of a year begins.',
        tags: ['calendar'],
        examples: ['The almanac of 2027, please'],
      },
    ],
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
}
