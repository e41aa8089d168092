// Serves the OpenAPI document of all endpoints of this process, created once.
import { createOpenApi, type Endpoint, openApiEndpoint, type Route, route } from '@portcullis/contract';

export function openApiRoute(endpoints: readonly Endpoint[], version: string): Route {
  let text: string | undefined;
  return route(openApiEndpoint, async function* () {
    text ??= JSON.stringify(createOpenApi(endpoints, version));
    yield text;
  });
}
