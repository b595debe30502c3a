import { sharedAssignments } from '@switchyard/settings';
import type { Operators } from './operators.ts';
import { type ProgramSettings, programEnvironment } from './programs.ts';

/** Listened at, but not called: a gateway there is reached through loopback too. */
const anyAddress = ['0.0.0.0', '::'];

/** Where to look at what happens, and with which key. */
export function consoleLine(operators: Operators | undefined): string {
  return operators?.consoleUrl ? `Console: ${operators.consoleUrl}\n` : '';
}

/** What to try once everything runs. Every command works when pasted as it is, in sh, bash and zsh. */
export function nextSteps(settings: ProgramSettings): string {
  const { host, port, operators, environment } = settings;
  const url = `http://${anyAddress.includes(host) ? '127.0.0.1' : host}:${port}`;
  const { AUTH: auth = '' } = environment;
  const needsKey = auth !== '' && auth !== 'none';
  const curl = needsKey ? 'curl -H "Authorization: Bearer $API_KEY"' : 'curl';
  return `
Switchyard is ready on ${url}  (agents: ${url}/agents)
${consoleLine(operators)}${needsKey ? '\nCallers show a key. In each terminal: export API_KEY=<one of your keys>\n' : ''}
1. Send a message without waiting. The answer comes at once; the work waits in the queue:

TASK=$(${curl} -s ${url}/message:send -H 'Content-Type: application/json' -d '{
  "message": {"messageId": "m-'$(date +%s)'", "role": "ROLE_USER", "parts": [{"text": "I want a pizza"}]},
  "configuration": {"returnImmediately": true}}'); echo "$TASK"

2. Ask how the task is doing:

${curl} -s ${url}/tasks/$(node -p 'JSON.parse(process.argv[1]).task.id' "$TASK"); echo

3. Watch a task as it happens:

${curl} -sN ${url}/message:stream -H 'Content-Type: application/json' -d '{
  "message": {"messageId": "s-'$(date +%s)'", "role": "ROLE_USER", "parts": [{"text": "A Hawaiian pizza, please"}]}}'

4. Talk to the agent in another terminal:

${port === 4000 ? '' : `SWITCHYARD_URL=${url} `}npm run chat

5. Add a worker with another agent, in another terminal:

${sharedAssignments(programEnvironment(settings))} npm run worker -- --agents examples/hello/agent.ts

Ctrl-C stops everything; started again, the conversations go on.
`;
}
