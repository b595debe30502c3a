import { readCommandLine, Settings, SettingsError, storeSettings, UsageError } from '@switchyard/settings';
import { Store, StoreError } from '@switchyard/store';
import { keyOptions, runKeyCommand } from './key-commands.ts';

const text = `Manages the API keys of clients, which gateways with AUTH=api-key know from Redis.

  create --subject <name>      makes a key and prints it, once. It takes:
    --tenant <name>            default: default
    --scopes "<scope> …"       of send, read, cancel, push and admin; default: all but admin
    --agents "<id> …"          the agents that its owner may use; default: all
    --days <number>            until it expires; default: never
    --note <text>              what it is for
  list                         lists keys without their secrets, latest first
  revoke <id>                  at once, for all gateways`;

/** `npm run keys`. */
async function main(): Promise<void> {
  const line = readCommandLine(
    {
      usage: 'npm run keys -- create --subject <name> | list | revoke <id>',
      text,
      options: keyOptions,
      takesWords: true,
      settingsOf: { names: ['REDIS_URL', 'REDIS_PASSWORD_FILE', 'REDIS_CA_FILE', 'KEY_PREFIX'] },
    },
    process.argv.slice(2),
  );
  if (line.help !== undefined) return void process.stdout.write(line.help);
  const given = new Settings('gateway', process.env);
  const settings = storeSettings(given);
  given.requireValid();
  const store = new Store(settings, () => undefined); // `start` says what is wrong
  try {
    await store.start();
    process.stdout.write(`${await runKeyCommand(store, line.words, line.values)}\n`);
  } finally {
    await store.stop();
  }
}

main().catch((error: unknown) => {
  const isExplained = error instanceof SettingsError || error instanceof UsageError || error instanceof StoreError;
  process.stderr.write(`${error instanceof Error ? (isExplained ? error.message : error.stack) : String(error)}\n`);
  process.exit(1);
});
