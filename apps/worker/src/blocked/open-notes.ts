import { createLog, logOutput } from '@switchyard/telemetry';
import { logTo } from '../telemetry/log.ts';
import { BlockedNotes } from './blocked-notes.ts';
import type { TurnBoard } from './turn-board.ts';
import type { WatchSettings } from './watch.ts';

/** Notes with a log of their own: that of the main thread cannot write. */
export async function openNotes(settings: WatchSettings, board: TurnBoard): Promise<BlockedNotes> {
  const output = await logOutput({ fd: 1, isTTY: settings.isTerminal }, settings.logFormat);
  const log = createLog({ app: 'worker', level: settings.logLevel, secrets: settings.secrets }, output);
  log.setBindings({ worker: settings.worker });
  return new BlockedNotes(settings, { board, emit: logTo(log) });
}
