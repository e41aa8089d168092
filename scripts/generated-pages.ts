// The files that come from the code, each as it has to be on the disk, with what its generator found wrong.
import { callsFile } from './generate-calls.ts';
import { commandsPage } from './generate-commands.ts';
import { configurationPage } from './generate-configuration.ts';
import { conformancePage } from './generate-conformance.ts';
import { endpointsPage } from './generate-endpoints.ts';
import { errorsPage } from './generate-errors.ts';
import { metricsPage } from './generate-metrics.ts';
import { openApiPage } from './generate-openapi.ts';
import { securityPages } from './generate-security.ts';

export interface GeneratedPage {
  /** From the root of the repository. */
  readonly file: string;
  readonly page: string;
  readonly problems: readonly string[];
}

export async function generatedPages(): Promise<GeneratedPage[]> {
  return [
    { file: 'docs/reference/commands.md', page: await commandsPage(), problems: [] },
    { file: 'docs/reference/configuration.md', page: configurationPage(), problems: [] },
    { file: 'docs/reference/conformance.md', ...conformancePage() },
    { file: 'docs/reference/endpoints.md', page: endpointsPage(), problems: [] },
    { file: 'docs/reference/errors.md', page: errorsPage(), problems: [] },
    { file: 'docs/reference/metrics.md', page: metricsPage(), problems: [] },
    { file: 'docs/reference/openapi.json', page: openApiPage(), problems: [] },
    ...securityPages(),
    { file: 'packages/client/src/calls.ts', page: callsFile(), problems: [] },
  ];
}
