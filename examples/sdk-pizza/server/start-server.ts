import { once } from 'node:events';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { PizzaExecutor } from '../pizza-executor.ts';

export interface SdkServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The same executor on the SDK's server: tasks in memory, one process. */
export async function startServer(port: number): Promise<SdkServer> {
  const app = express();
  const server = app.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : port}`;
  const requestHandler = new DefaultRequestHandler(card(url), new InMemoryTaskStore(), new PizzaExecutor());
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return {
    url,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function card(url: string): AgentCard {
  return AgentCard.fromJSON({
    name: 'Pizza desk',
    description: 'Takes your order for a pizza.',
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'order', name: 'Order a pizza', description: 'Finds out which one you want.', tags: ['food'] }],
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });
}
