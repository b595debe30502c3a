export interface Address {
  readonly host: string;
  readonly port: number;
  readonly redisUrl: string;
}

/** Listened at, but not called: a gateway there is reached through loopback too. */
const anyAddress = ['0.0.0.0', '::'];

/** What to try once everything runs. Every command works when pasted as it is, in sh, bash and zsh. */
export function nextSteps({ host, port, redisUrl }: Address): string {
  const url = `http://${anyAddress.includes(host) ? '127.0.0.1' : host}:${port}`;
  return `
Switchyard is ready on ${url}  (agents: ${url}/agents)

1. Send a message without waiting. The answer comes at once; the work waits in the queue:

TASK=$(curl -s ${url}/message:send -H 'Content-Type: application/json' -d '{
  "message": {"messageId": "m-'$(date +%s)'", "role": "ROLE_USER", "parts": [{"text": "I want a pizza"}]},
  "configuration": {"returnImmediately": true}}'); echo "$TASK"

2. Ask how the task is doing:

curl -s ${url}/tasks/$(node -p 'JSON.parse(process.argv[1]).task.id' "$TASK"); echo

3. Watch a task as it happens:

curl -sN ${url}/message:stream -H 'Content-Type: application/json' -d '{
  "message": {"messageId": "s-'$(date +%s)'", "role": "ROLE_USER", "parts": [{"text": "A Hawaiian pizza, please"}]}}'

4. Talk to the pizza desk in another terminal:

${port === 4000 ? '' : `SWITCHYARD_URL=${url} `}npm run chat

More workers may join: REDIS_URL=${redisUrl} npm run worker -- --agents <module>
Ctrl-C stops everything; started again, the conversations go on.
`;
}
