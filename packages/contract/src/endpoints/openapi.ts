// The OpenAPI document of the service itself. Sent as it is, without an envelope: tools read it.
import { defineEndpoint, type Endpoint } from '../endpoint.ts';

export const openApiEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/openapi.json',
  access: 'identity',
  title: 'Fetch the OpenAPI document of this service',
  stream: 'application/json; charset=utf-8',
});

export const openApiEndpoints: readonly Endpoint[] = [openApiEndpoint];
