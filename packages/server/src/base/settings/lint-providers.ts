// Lint of the provider settings: the networks where providers are allowed besides the Internet, and the file of certificate
// authorities.
import { existsSync } from 'node:fs';
import { lintNetworks } from '../outbound/allowed-addresses.ts';

export function lintProviders({
  networks,
  authorityFile,
}: {
  readonly networks: readonly string[];
  readonly authorityFile: string;
}): string[] {
  return [
    ...lintNetworks('provider.networks', networks),
    ...(authorityFile === '' || existsSync(authorityFile)
      ? []
      : ['`provider.authorityFile` names a file that is not there. Correct the path, or leave it out.']),
  ];
}
