// Validates the exclusion list (allow list): the endpoints that skip the permission check. An entry must name exactly one
// endpoint that is declared excludable: a business endpoint on the list would be open to every role (Spec,
// Authentication 6).
import { type Endpoint, routeName } from '@portcullis/contract';

export type ExclusionList = ReadonlySet<string>;

/** Returns the errors of the list, each with what to do; empty if there are none. */
export function lintExclusions(entries: readonly string[], endpoints: readonly Endpoint[]): string[] {
  return entries.flatMap((entry) => {
    const endpoint = endpoints.find((declared) => routeName(declared) === entry);
    if (endpoint === undefined)
      return [
        `\`permission.exclusions\` names \`${entry}\`, which is not an endpoint of this service. Remove the entry.`,
      ];
    if (endpoint.excludable !== true)
      return [
        `\`permission.exclusions\` names \`${entry}\`, a business endpoint: every role could call it. Remove the entry and grant the endpoint to roles with a rule.`,
      ];
    return [];
  });
}
