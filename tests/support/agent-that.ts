import { type Agent, type AgentDefinition, defineAgent, type Execute } from '@switchyard/agent';

/** An agent for tests that need only its behaviour. */
export function agentThat(execute: Execute, options: Partial<AgentDefinition> = {}): Agent {
  const skills = [{ id: 'act', name: 'Act', description: 'Does what the test says.', tags: [] }];
  const card = { name: 'Subject', description: 'The agent under test.', version: '1.0.0', skills };
  return defineAgent({ id: 'subject', card, execute, ...options });
}
