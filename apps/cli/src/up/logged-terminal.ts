import { createInterface } from 'node:readline';
import { safeReason, secretsIn } from '@switchyard/telemetry';
import { z } from 'zod';
import { logFilesIn } from '../data-folder/log-files.ts';
import { LogFile } from './log-file.ts';
import type { ProgramSettings } from './programs.ts';
import type { Source, Terminal } from './terminal.ts';

type Place = Pick<ProgramSettings, 'dataFolder' | 'environment' | 'env'>;

/** Letters of a longer line would fill the files. */
const MAX_LENGTH = 65_536;
const [INFO, WARN] = [30, 40];

/** A line that a gateway or a worker has logged: it is redacted already. */
const loggedSchema = z.looseObject({ app: z.enum(['gateway', 'worker']), level: z.number(), time: z.number() });

/** A terminal whose lines are also kept in the data folder, for `switchyard logs`. Without a data folder: itself. */
export function loggedTerminal(terminal: Terminal, { dataFolder, environment, env }: Place): Terminal {
  if (dataFolder === undefined) return terminal;
  const secrets = secretsIn({ ...environment, ...env });
  const files = logFilesIn(dataFolder);
  const log = new LogFile(files, (why) => terminal.say('switchyard', `${files.current} cannot be written: ${why}`));
  return {
    say: (source, text) => {
      terminal.say(source, text);
      for (const line of text.trimEnd().split('\n')) log.write(logLine(line, { source, level: INFO, secrets }));
    },
    print: terminal.print,
    listenTo: (source, child) => {
      terminal.listenTo(source, child);
      for (const [input, level] of [
        [child.stdout, INFO],
        [child.stderr, WARN],
      ] as const)
        createInterface({ input }).on('line', (line) => log.write(logLine(line, { source, level, secrets })));
    },
  };
}

interface LineOf {
  readonly source: Source;
  /** Of a line that does not say it. */
  readonly level: number;
  readonly secrets: readonly string[];
}

/** A line as JSON. What is no line of ours, such as `console.log` of an agent, is redacted and shortened. */
export function logLine(line: string, { source, level, secrets }: LineOf): string {
  const logged = line.length > MAX_LENGTH ? undefined : loggedSchema.safeParse(parse(line)).data;
  if (logged) return JSON.stringify({ ...logged, process: source });
  return JSON.stringify({ level, time: Date.now(), process: source, msg: safeReason(line, secrets) });
}

function parse(line: string): unknown {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
