import { quoted, sharedAssignments } from '@switchyard/settings';
import type { Operators } from './operators.ts';
import { type ProgramSettings, workerEnvironment } from './programs.ts';
import { urlOf } from './settings.ts';

/** The parameters of the printed commands. */
export interface Guide {
  /** `npx switchyard`, or the command as it was typed. */
  readonly command: string;
  /** An example message for the default agent. */
  readonly example: string;
  /** An example of the data that the default agent works on. Undefined: it takes texts. */
  readonly data?: unknown;
  /** Runs another worker. */
  readonly addWorker: string;
}

/** The console's address, with the key. */
export function consoleLine(operators: Operators | undefined): string {
  return operators?.consoleUrl ? `Console: ${operators.consoleUrl}\n` : '';
}

/** Commands to try when everything runs. Each works when pasted into sh, bash or zsh. */
export function nextSteps(settings: ProgramSettings, { command: typed, example, data, addWorker }: Guide): string {
  const { operators, environment } = settings;
  const url = urlOf(settings);
  const { PUBLIC_URL: publicUrl = url, ...shared } = workerEnvironment(settings);
  // Without it the command would call the deployment of a default folder.
  const command = environment.DATA_DIR ? `DATA_DIR=${quoted(environment.DATA_DIR)} ${typed}` : typed;
  const credential = credentialFor(environment.AUTH ?? '', command);
  const curl = credential ? `curl -H "${credential.header}"` : 'curl';
  const json = JSON.stringify(data);
  const content = json === undefined ? quotedText(example) : `--data ${quoted(json)}`;
  const part = json === undefined ? `{"text": ${JSON.stringify(example)}}` : `{"data": ${json}}`;
  return `
Switchyard is ready on ${url}  (agents: ${url}/agents)
${consoleLine(operators)}${credential?.text ?? ''}
1. Send a message, in another terminal, and watch its task:

${command} send --stream ${content}

2. Send without waiting for the outcome, then list your tasks:

${command} send --async ${content}
${command} task list

3. Send with curl:

${curl} -s ${quoted(`${url}/message:send`)} -H 'Content-Type: application/json' -d '{
  "message": {"messageId": "m-'$(date +%s)'", "role": "ROLE_USER", "parts": [${part.replaceAll("'", "'\\''")}]},
  "configuration": {"returnImmediately": true}}'; echo

4. Chat with the agent:

${command} chat

5. Add a worker:

${sharedAssignments(shared)} PUBLIC_URL=${quoted(publicUrl)} ${addWorker}

Ctrl-C stops everything; tasks continue at the next start.
`;
}

/** What callers send, and how to get it. Undefined: nothing, or a certificate. */
function credentialFor(auth: string, command: string) {
  if (auth.includes('api-key'))
    return {
      header: 'X-API-Key: $A2ACLI_API_KEY',
      text: `
Callers need an API key. If you have none, create one; then set it in each terminal:

${command} keys create --subject ada
export A2ACLI_API_KEY=<the key>
`,
    };
  if (!auth.includes('jwt')) return;
  return {
    header: 'Authorization: Bearer $A2ACLI_BEARER',
    text: '\nCallers need a token. In each terminal: export A2ACLI_BEARER=<a token of your issuer>\n',
  };
}

function quotedText(text: string): string {
  return /^[\w ,.?!-]*$/.test(text) && !text.includes('!') ? `"${text}"` : `'${text.replaceAll("'", "'\\''")}'`;
}
