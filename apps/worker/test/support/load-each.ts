import { AgentModuleError, loadAgents } from '../../src/agents/load-agents.ts';

// Loads the modules of its arguments, by Node as it is, and prints why each of them cannot be loaded.
const problems: string[] = [];
for (const module of process.argv.slice(2)) {
  await loadAgents([module], { environment: {}, emit: () => undefined }).catch((error: unknown) => {
    if (!(error instanceof AgentModuleError)) throw error;
    problems.push(error.message);
  });
}
process.stdout.write(JSON.stringify(problems));
