// Where providers may be that are not on the Internet, and whose certificates they may have.
import { existsSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';

export function lintProviders({
  networks,
  authorityFile,
}: {
  readonly networks: readonly string[];
  readonly authorityFile: string;
}): string[] {
  const wrong = networks.filter((network) => !isNetwork(network));
  return [
    ...wrong.map(
      (network) =>
        `\`provider.networks\` has ${JSON.stringify(network)}, which is no network. Write an address or a CIDR range, such as \`10.0.0.0/8\`.`,
    ),
    ...(authorityFile === '' || existsSync(authorityFile)
      ? []
      : ['`provider.authorityFile` names a file that is not there. Correct the path, or leave it out.']),
  ];
}

function isNetwork(network: string): boolean {
  const [address = '', bits, ...rest] = network.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  if (!/^\d{1,3}$/.test(bits)) return false;
  try {
    new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
    return true;
  } catch {
    return false;
  }
}
