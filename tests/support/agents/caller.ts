import { defineAgent, isDone } from '@switchyard/agent';

/** Calls the agent that the request names with the client's text, and answers with its reply. */
export default defineAgent({
  id: 'caller',
  card: { name: 'Caller', description: 'Calls the requested agent.', version: '1.0.0', skills: [] },
  async execute(turn) {
    const waiting = turn.waitingCall;
    const reply = waiting
      ? await turn.call(waiting.agent, turn.text, { taskId: waiting.taskId })
      : await turn.call(String(turn.metadata.agent), turn.text);
    if (isDone(reply)) return turn.complete(reply.text);
    if (reply.state === 'TASK_STATE_INPUT_REQUIRED' || reply.state === 'TASK_STATE_AUTH_REQUIRED')
      return turn.askClient(reply);
    return turn.fail(`${reply.state}: ${reply.text}`);
  },
});
