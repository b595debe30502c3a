import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Report } from './report.ts';

/** report.json. @returns its path  @param folder unset: one of its own below .data/load */
export async function writeReport(report: Report, folder: string | undefined): Promise<string> {
  const stamp = report.beganAt.slice(0, 19).replaceAll(':', '-');
  const place = resolve(folder ?? join('.data', 'load', `${stamp}-${report.profile}`));
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'report.json'), `${JSON.stringify(report, null, 1)}\n`);
  return join(place, 'report.json');
}
