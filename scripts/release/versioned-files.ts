import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './workspaces.ts';

/** What names the version of the packages beside their package.json: a pattern for each place. */
const places: Readonly<Record<string, readonly RegExp[]>> = {
  'package.json': [/(?<=^ {2}"version": ")[^"]+/m],
  Dockerfile: [/(?<=^ARG VERSION=)\S+/m],
  'deploy/helm/switchyard/Chart.yaml': [/(?<=^version: )\S+/m, /(?<=^appVersion: ")[^"]+/m],
  'docs/your-own-folder.md': [/(?<=switchyard-create-)\d\S*(?=\.tgz)/],
  'apps/cli/COMPLIANCE.md': [/(?<=^\| Tool version \| )\S+/m],
  'apps/cli/compliance-report.yaml': [/(?<=^ {2}tool_version: )\S+/m],
};

/** Those files with a version, by path. @throws {Error} one does not name a version any more */
export function withVersion(version: string): Map<string, string> {
  return new Map(
    Object.entries(places).map(([file, patterns]) => {
      let text = readFileSync(join(root, file), 'utf8');
      for (const pattern of patterns) {
        if (!pattern.test(text)) throw new Error(`${file} has nothing like ${pattern.source}`);
        text = text.replace(pattern, version);
      }
      return [file, text];
    }),
  );
}

/** A changelog in which what was unreleased is a release, with an empty "Unreleased" above it. */
export function released(changelog: string, version: string, date: Date): string {
  const heading = `## ${version} - ${date.toISOString().slice(0, 10)}`;
  if (changelog.includes(`## ${version} `)) return changelog;
  return changelog.replace(/^## Unreleased$/m, `## Unreleased\n\n${heading}`);
}
