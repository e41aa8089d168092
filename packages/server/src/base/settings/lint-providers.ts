// Lint of the provider settings: the networks where providers are allowed besides the Internet, and the file of certificate
// authorities.
import { existsSync } from 'node:fs';
import { lintNetworks } from '../outbound/allowed-addresses.ts';

export function lintProviders({
  allowedNetworks,
  caFile,
}: {
  readonly allowedNetworks: readonly string[];
  readonly caFile: string;
}): string[] {
  return [
    ...lintNetworks('provider.allowedNetworks', allowedNetworks),
    ...(caFile === '' || existsSync(caFile)
      ? []
      : ['`provider.caFile` names a file that does not exist. Correct the path, or remove the setting.']),
  ];
}
