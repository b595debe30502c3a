import { findCircles } from '../structure/circles.ts';
import { folderImports, importsInCircles } from '../structure/folders.ts';
import { readSourceFiles, type SourceFile } from '../structure/source-files.ts';
import { rules } from './rules.ts';

/** Everything that the layers of the design forbid and that the tree below `root` does, one line each. */
export function layerViolations(root: string): string[] {
  const files = readSourceFiles(root);
  const violations = files.flatMap((file) => rules.flatMap((rule) => rule(file).map((why) => `${file.path}: ${why}`)));
  const circles = findCircles(files).map((circle) => `files import each other in a circle: ${circle}`);
  return [...violations, ...circles, ...checkFolders(files)];
}

/** Inside an app or package folders import in one direction. */
function checkFolders(files: readonly SourceFile[]): string[] {
  const product = files.filter(({ path, isTest }) => !isTest && !path.startsWith('examples/'));
  return importsInCircles(folderImports(product)).map((each) => `folders import in a circle: ${each}`);
}
