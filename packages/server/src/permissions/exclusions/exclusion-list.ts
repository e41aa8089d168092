// The endpoints that skip the permission check. An entry must name exactly one endpoint that declares itself
// excludable: a business endpoint on this list would be open to every role (Spec, Authentication 6).
import { type Endpoint, routeName } from '@portcullis/contract';

export type ExclusionList = ReadonlySet<string>;

/** What is wrong with the list, each with what to do; empty where nothing is. */
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
