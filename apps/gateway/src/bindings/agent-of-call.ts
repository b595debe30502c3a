import type { AnnouncedAgent } from '@switchyard/store';
import type { Admission } from '../admission/admission.ts';
import { type AgentDirectory, type AgentSelector, selectAgent } from '../agents/agent-directory.ts';
import { toA2AError } from '../telemetry/failures.ts';

/** The agent that a caller names. That there is none for it is told to the audit trail. @throws {A2AError} */
export function agentOfCall(agents: AgentDirectory, admission: Admission, selector: AgentSelector): AnnouncedAgent {
  try {
    return selectAgent(agents, admission.identity, selector);
  } catch (thrown) {
    const { agentId, tenant } = selector;
    const named = typeof tenant === 'string' && tenant !== '' ? tenant : agentId;
    const outcome = toA2AError(thrown).code;
    if (outcome === 'NotFound') admission.audit({ what: 'refused', outcome, agent: named?.slice(0, 128) });
    throw thrown;
  }
}
