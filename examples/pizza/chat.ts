import { createInterface } from 'node:readline';
import { ChatClient } from './chat-client.ts';
import { agentUrl, apiKey } from './config.ts';

const { stdin: input, stdout: output } = process;
if (process.argv.includes('--help')) {
  output.write(
    `npm run chat: talks to an agent, a line at a time. SWITCHYARD_URL is its gateway (${agentUrl}), API_KEY your key.\n`,
  );
  process.exit(0);
}
const isTerminal = input.isTTY === true;
const client = new ChatClient(agentUrl, apiKey);
const lines = createInterface({ input, output, terminal: isTerminal, prompt: 'you> ' });

let isOpen = true;
lines.once('close', () => {
  isOpen = false;
});
lines.on('SIGINT', () => process.exit(130));

if (isTerminal) output.write(`Talking to ${agentUrl}. Try "I want a pizza". Ctrl-D ends.\n`);
prompt();
for await (const line of lines) {
  if (line.trim()) await say(line);
  prompt();
}

async function say(line: string): Promise<void> {
  try {
    for await (const words of client.say(line)) output.write(words);
  } catch (error) {
    process.exitCode = 1;
    output.write(`! ${describe(error)}\n`);
  }
}

function describe(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? `${agentUrl}: ${message}: ${cause.message}` : message;
}

function prompt(): void {
  if (isTerminal && isOpen) lines.prompt();
}
