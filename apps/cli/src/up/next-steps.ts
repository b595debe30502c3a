import { sharedAssignments } from '@switchyard/settings';
import type { Operators } from './operators.ts';
import { type ProgramSettings, programEnvironment } from './programs.ts';
import { urlOf } from './settings.ts';

/** The parameters of the printed commands. */
export interface Guide {
  /** `npx switchyard`, or the command as it was typed. */
  readonly command: string;
  /** An example message for the default agent. */
  readonly example: string;
  /** Runs another worker. */
  readonly addWorker: string;
}

/** The console's address, with the key. */
export function consoleLine(operators: Operators | undefined): string {
  return operators?.consoleUrl ? `Console: ${operators.consoleUrl}\n` : '';
}

/** Commands to try when everything runs. Each works when pasted into sh, bash or zsh. */
export function nextSteps(settings: ProgramSettings, { command, example, addWorker }: Guide): string {
  const { operators, environment } = settings;
  const url = urlOf(settings);
  const { AUTH: auth = '' } = environment;
  const needsKey = auth !== '' && auth !== 'none';
  const curl = needsKey ? 'curl -H "X-API-Key: $A2ACLI_API_KEY"' : 'curl';
  const exportKey = '\nCallers need an API key. In each terminal: export A2ACLI_API_KEY=<one of your keys>\n';
  const text = quoted(example);
  return `
Switchyard is ready on ${url}  (agents: ${url}/agents)
${consoleLine(operators)}${needsKey ? exportKey : ''}
1. Send a message, in another terminal, and watch its task:

${command} send --stream ${text}

2. Send without waiting for the outcome, then list your tasks:

${command} send --async ${text}
${command} task list

3. Send with curl:

${curl} -s ${url.includes('[') ? `'${url}/message:send'` : `${url}/message:send`} -H 'Content-Type: application/json' -d '{
  "message": {"messageId": "m-'$(date +%s)'", "role": "ROLE_USER", "parts": [{"text": ${JSON.stringify(example).replaceAll("'", "'\\''")}}]},
  "configuration": {"returnImmediately": true}}'; echo

4. Chat with the agent:

${command} chat

5. Add a worker:

${sharedAssignments(programEnvironment(settings))} ${addWorker}

Ctrl-C stops everything; tasks continue at the next start.
`;
}

function quoted(text: string): string {
  return /^[\w ,.?!-]*$/.test(text) && !text.includes('!') ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
