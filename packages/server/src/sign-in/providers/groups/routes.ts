// HTTP endpoints of the mappings from groups to roles (group mapping): list, plan and apply.
import {
  applyMappingsEndpoint,
  listMappingsEndpoint,
  planMappingsEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import { answerWrite } from '../../../cluster/answer-write.ts';
import type { MappingChanges } from './mapping-changes.ts';

export function mappingRoutes({ mappings }: { readonly mappings: MappingChanges }): Route[] {
  return [
    route(listMappingsEndpoint, async ({ params }) => {
      const { roleSource, mappings: stored } = await mappings.list(params.id);
      return { data: { roleSource, mappings: [...stored] } };
    }),
    route(planMappingsEndpoint, async (call) => ({ data: await mappings.plan(call) })),
    route(applyMappingsEndpoint, (call) => answerWrite(call, mappings.apply(call))),
  ];
}
