import { findCircles } from '../structure/circles.ts';
import { folderImports, importsInCircles } from '../structure/folders.ts';
import { readSourceFiles, type SourceFile } from '../structure/source-files.ts';
import { knownFolderCircles } from './known-folder-circles.ts';
import { rules } from './rules.ts';

/** Everything that the floors of the design forbid and that the tree below `root` does, one line each. */
export function checkFloors(root: string, known = knownFolderCircles): string[] {
  const files = readSourceFiles(root);
  const violations = files.flatMap((file) => rules.flatMap((rule) => rule(file).map((why) => `${file.path}: ${why}`)));
  const circles = findCircles(files).map((circle) => `files import each other in a circle: ${circle}`);
  return [...violations, ...circles, ...checkFolders(files, known)];
}

/** Inside an app or package folders import in one direction: see known-folder-circles.ts for those that do not yet. */
function checkFolders(files: readonly SourceFile[], known: Readonly<Record<string, number>>): string[] {
  const product = files.filter(({ path, isTest }) => !isTest && !path.startsWith('examples/'));
  const found = Map.groupBy(importsInCircles(folderImports(product)), homeOf);
  return [...found]
    .filter(([home, circles]) => circles.length > (known[home] ?? 0))
    .flatMap(([, circles]) => circles.map((each) => `folders import in a circle: ${each}`));
}

const homeOf = (path: string): string => path.split('/', 2).join('/');
