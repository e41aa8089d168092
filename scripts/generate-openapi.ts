// The page docs/reference/openapi.json: what GET /api/v1/openapi.json answers for the endpoints of the service itself.
import { createOpenApi, endpoints } from '@portcullis/contract';
import manifest from '../packages/server/package.json' with { type: 'json' };

export function openApiPage(): string {
  return `${JSON.stringify(createOpenApi(endpoints, manifest.version), null, 2)}\n`;
}
