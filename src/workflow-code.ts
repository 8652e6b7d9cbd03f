/** Where the workflow code of this build is: the bundle made with it, or, run from its sources, the sources. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function findWorkflowCode(): { workflowBundle: { codePath: string } } | { workflowsPath: string } {
  const codePath = fileURLToPath(new URL('./workflow-bundle.js', import.meta.url));
  return existsSync(codePath)
    ? { workflowBundle: { codePath } }
    : { workflowsPath: fileURLToPath(new URL('./workflows/index.ts', import.meta.url)) };
}
