// The OpenAPI document of all endpoints that this process serves, made once.
import { createOpenApi, type Endpoint, type Handler, type openApiEndpoint } from '@portcullis/contract';

export function createOpenApiHandler(
  endpoints: readonly Endpoint[],
  version: string,
): Handler<typeof openApiEndpoint> {
  let text: string | undefined;
  return async function* () {
    text ??= JSON.stringify(createOpenApi(endpoints, version));
    yield text;
  };
}
