// The OpenAPI document of all endpoints that this process serves, made once.
import { createOpenApi, type Endpoint, openApiEndpoint, type Route, route } from '@portcullis/contract';

export function openApiRoute(endpoints: readonly Endpoint[], version: string): Route {
  let text: string | undefined;
  return route(openApiEndpoint, async function* () {
    text ??= JSON.stringify(createOpenApi(endpoints, version));
    yield text;
  });
}
