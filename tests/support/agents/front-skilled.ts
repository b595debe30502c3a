import { remoteAgent } from '@switchyard/executor-remote';

/** The queue of this deployment in front of the agent `skilled` of another deployment. */
export default await remoteAgent({
  id: 'front-skilled',
  cardUrl: `${process.env.THERE_URL}/agents/skilled/.well-known/agent-card.json`,
});
