// The pages of docs that come from the code, each as it has to be on the disk, with what its generator found wrong.
import { commandsPage } from './generate-commands.ts';
import { configurationPage } from './generate-configuration.ts';
import { conformancePage } from './generate-conformance.ts';
import { endpointsPage } from './generate-endpoints.ts';
import { errorsPage } from './generate-errors.ts';
import { metricsPage } from './generate-metrics.ts';
import { openApiPage } from './generate-openapi.ts';
import { securityPage } from './generate-security.ts';

export interface GeneratedPage {
  /** Below `docs/`. */
  readonly file: string;
  readonly page: string;
  readonly problems: readonly string[];
}

export async function generatedPages(): Promise<GeneratedPage[]> {
  return [
    { file: 'reference/commands.md', page: await commandsPage(), problems: [] },
    { file: 'reference/configuration.md', page: configurationPage(), problems: [] },
    { file: 'reference/conformance.md', ...conformancePage() },
    { file: 'reference/endpoints.md', page: endpointsPage(), problems: [] },
    { file: 'reference/errors.md', page: errorsPage(), problems: [] },
    { file: 'reference/metrics.md', page: metricsPage(), problems: [] },
    { file: 'reference/openapi.json', page: openApiPage(), problems: [] },
    { file: 'explanation/security.md', ...securityPage() },
  ];
}
