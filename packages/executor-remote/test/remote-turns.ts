import type { AgentExecutor } from '@a2a-js/sdk/server';
import { executeTurn } from '@switchyard/agent/runtime';
import { MemoryPort, type MemoryTurn, runTurn } from '@switchyard/agent/testing';
import { agentThat } from '../../../tests/support/agent-that.ts';
import { type RemoteSettings, remoteExecutor } from '../src/index.ts';
import { SdkHttpServer, type SdkHttpServerOptions } from './sdk-http-server.ts';

export type Settings = Partial<Omit<RemoteSettings, 'card' | 'cardUrl'>>;

const quick = { pollEveryMs: 20, retryBudgetMs: 5_000 };

export function agentOf(server: SdkHttpServer, settings: Settings = {}) {
  return agentThat(remoteExecutor({ ...quick, ...settings, cardUrl: server.cardUrl }));
}

export function begin(server: SdkHttpServer, settings: Settings = {}, turn: Partial<MemoryTurn> = {}) {
  const port = new MemoryPort({ message: 'Hello', ...turn });
  const result = executeTurn(agentOf(server, settings), port, { graceMs: 4_000 });
  return { port, result };
}

/** Sends the texts, in one task, through the remote executor to an executor on the SDK's server. */
export async function exchange(executor: AgentExecutor, texts: readonly string[], options: SdkHttpServerOptions = {}) {
  await using server = await new SdkHttpServer(executor, options).start();
  let last = await runTurn(agentOf(server), texts[0] ?? '');
  for (const text of texts.slice(1)) last = await last.say(text);
  return { ...last, requests: server.requests };
}
