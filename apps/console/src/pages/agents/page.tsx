import { parts } from '../../app/route.ts';
import { AgentList } from './agent-list.tsx';
import { AgentPage } from './agent-page.tsx';
import './agents.css';

/** All agents, or the one in the path. */
export function AgentsPage() {
  const [, id] = parts.value;
  return id === undefined ? <AgentList /> : <AgentPage key={id} id={id} />;
}
