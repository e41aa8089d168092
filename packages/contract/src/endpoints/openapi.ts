// Endpoint of the service's OpenAPI document. The document is sent without an envelope, because tools read it.
import { defineEndpoint, type Endpoint } from '../endpoint.ts';

export const openApiEndpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/openapi.json',
  access: 'identity',
  title: 'Fetch the OpenAPI document of this service',
  stream: 'application/json; charset=utf-8',
});

export const openApiEndpoints: readonly Endpoint[] = [openApiEndpoint];
