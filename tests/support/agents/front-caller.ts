import { remoteAgent } from '@switchyard/executor-remote';

/** The queue of this deployment in front of the agent `caller` of another deployment. */
export default await remoteAgent({
  id: 'front-caller',
  cardUrl: `${process.env.THERE_URL}/agents/caller/.well-known/agent-card.json`,
});
