import { existsSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent } from '@switchyard/agent';
import { isAgent } from '@switchyard/agent/runtime';
import { isAgentFile, isAgentUrl } from '../external-agents/sources.ts';
import type { Emit } from '../telemetry/events.ts';
import { loadProblem } from './load-problem.ts';

/** An agent module that cannot be used; the message says why and what to do. */
export class AgentModuleError extends Error {
  override readonly name = 'AgentModuleError';
}

/**
 * @param sources paths of modules, relative to the working directory; URLs of agents, and files that list agents
 * @throws {AgentModuleError | ExternalAgentError}
 */
export async function loadAgents(sources: readonly string[], given: LoadOptions): Promise<Agent[]> {
  if (!sources.length) throw new AgentModuleError(noAgents);
  shareAgentPackage();
  const loaded = await Promise.all(sources.map((source) => loadFrom(source, given)));
  const found = new Map<string, string>();
  for (const [at, source] of sources.entries())
    for (const { id } of loaded[at] ?? []) {
      const first = found.get(id);
      if (first !== undefined) throw new AgentModuleError(twice(id, [first, source]));
      found.set(id, source);
    }
  return loaded.flat();
}

function twice(id: string, [first, second]: readonly [string, string]): string {
  const where = first === second ? `${first} was named twice` : `one of ${first}, one of ${second}`;
  return `Two agents have the id "${id}": ${where}.`;
}

export interface LoadOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly emit: Emit;
}

const noAgents = `There is no agent here: neither agent.ts nor agents/*.ts. Either name the module of one, or write one:
"export default defineAgent({ … })" in agent.ts, with defineAgent of @switchyard/agent.`;

/**
 * Agents get the worker's own copy of @switchyard/agent, wherever it is installed: its errors and the running turn are
 * recognized by identity, which a second copy beside the agent would not share.
 */
function shareAgentPackage(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      /^@switchyard\/agent(?:\/|$)/.test(specifier)
        ? next(specifier, { ...context, parentURL: import.meta.url })
        : next(specifier, context),
  });
}

async function loadFrom(source: string, { environment, emit }: LoadOptions): Promise<readonly Agent[]> {
  if (!isAgentUrl(source) && !isAgentFile(source)) return [await loadAgent(source)];
  // Loaded on demand: most workers need neither the client of such agents nor YAML.
  const { agentAt, agentsInFile } = await import('../external-agents/read-agents.ts');
  const { ExternalA2AAgent } = await import('../external-agents/external-a2a-agent.ts');
  const settings = isAgentUrl(source) ? [agentAt(source)] : agentsInFile(source, environment);
  return settings.map((each) => new ExternalA2AAgent(each, emit));
}

async function loadAgent(module: string): Promise<Agent> {
  if (!existsSync(module)) {
    const how = 'name the file of an agent, or its address, which begins with https:// or http://';
    throw new AgentModuleError(`There is no module ${module}: ${how}.`);
  }
  if (statSync(module).isDirectory())
    throw new AgentModuleError(`${module} is a folder: name the file of an agent in it.`);
  const loaded: { default?: unknown } = await import(pathToFileURL(resolve(module)).href).catch((cause: unknown) => {
    throw new AgentModuleError(`The agent module ${module} cannot be loaded:\n  ${loadProblem(cause)}`, { cause });
  });
  if (isAgent(loaded.default)) return loaded.default;
  throw new AgentModuleError(`The module ${module} is no agent: write "export default defineAgent({ … })" in it.`);
}
