// Doctor checks of the configuration: the rules by which a start is refused, and warnings on settings that a start accepts.
import { endpoints } from '@portcullis/contract';
import { isLocal } from '@portcullis/server/base/settings/lint-transport.ts';
import {
  createClientAddress,
  createTrustedProxies,
  lintProxies,
} from '@portcullis/server/http/client-address.ts';
import { lintOrigins } from '@portcullis/server/http/cors.ts';
import { lintExclusions } from '@portcullis/server/permissions/exclusions/exclusion-list.ts';
import { type Check, type CheckInput, type Finding, warning, well, wrong, wrongFor } from './check.ts';

const group = 'settings';

export const settingsChecks: readonly Check[] = [
  { id: 'mode', group, title: 'mode', run: checkMode },
  { id: 'settings', group, title: 'settings', run: checkSettings },
  { id: 'secret-files', group, title: 'files of secrets', run: checkFiles },
  { id: 'master-key', group, title: 'master key', run: checkMasterKey },
  { id: 'trusted-proxies', group, title: 'trusted proxies', run: checkProxies },
  { id: 'exclusions', group, title: 'exclusion list', run: checkExclusions },
  { id: 'origins', group, title: 'cookie and origins', run: checkOrigins },
  { id: 'decision-listener', group, title: 'decision listener', run: checkDecision },
  { id: 'ops-listener', group, title: 'ops listener', run: checkOps },
];

const compatibilityRemedy =
  'The specification has 401 there. It is `application.compatibility` for go-admin’s front end: set it to none where no such front end is left.';

function checkMode({ config }: CheckInput): Finding {
  const { mode, devKeys, listen } = config;
  const departure = config.goAdminCompatible ? '; 403 for a missing permission' : '';
  const remedies = config.goAdminCompatible ? [compatibilityRemedy] : [];
  if (!devKeys) {
    const text = `${mode}: captcha, tokens of ${Math.round(config.tokenLifetimeSeconds / 60)} minutes${departure}`;
    return config.goAdminCompatible ? warning(text, compatibilityRemedy) : well(text);
  }
  const text = `dev: no captcha, tokens of 100 years${departure}`;
  const remedy = 'For production set `application.mode` (APPLICATION_MODE) to prod.';
  return isLocal(listen.host)
    ? warning(text, remedy, ...remedies)
    : wrong(`${text}, on ${listen.host}`, `Never leave dev open to others. ${remedy}`, ...remedies);
}

function checkSettings({ problems, settingsFile }: CheckInput): Finding {
  const { settings } = problems;
  const from = settingsFile === undefined ? 'environment and defaults' : `${settingsFile} and environment`;
  return wrongFor(settings, `${settings.length} not understood; defaults are used below`) ?? well(from);
}

function checkFiles({ problems }: CheckInput): Finding {
  return wrongFor(problems.files, 'readable for all users of this host') ?? well('closed to others');
}

function checkMasterKey({ problems, config, sealingKeys }: CheckInput): Finding {
  const found = wrongFor(problems.masterKey, 'not fit to keep secrets with');
  if (found !== undefined) return found;
  if (config.devKeys) return well('not asked for in dev');
  if (sealingKeys.length > 1)
    return warning(
      'being changed: the previous one is still known',
      'When every instance has both, run `portcullis signing-keys reseal`; then remove `auth.previousMasterKey`.',
    );
  return well('32 bytes, not a published one');
}

/**
 * Documentation addresses (RFC 5737, RFC 3849): the address that a client claims, and the real address of the client.
 */
const samples = {
  ipv4: { claimed: '198.51.100.66', client: '203.0.113.7' },
  ipv6: { claimed: '2001:db8:bad::66', client: '2001:db8::7' },
} as const;

/**
 * Private networks, which contain clients too: a trusted range of more than 256 addresses in one of
 * them holds more than proxies.
 */
const privateNetworks = createTrustedProxies([
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'],
]);
const privateSamples = ['10.66.66.66', '172.20.66.66', '192.168.66.66', '100.66.66.66', 'fd66::66'];
const mostNeighbourBits = 8;

/**
 * An address of a possible client in the same private range as the proxy; undefined if the range is small or public.
 */
function findNeighbour(proxy: string): string | undefined {
  const [address = '', bits = ''] = proxy.split('/');
  const isLarge = bits !== '' && (address.includes(':') ? 128 : 32) - Number(bits) > mostNeighbourBits;
  if (!isLarge) return undefined;
  const range = createTrustedProxies([proxy]);
  const beside = address.replace(/::$/, '::66').replace(/\.\d+$/, '.66');
  return [beside, ...privateSamples].find((client) => range.has(client) && privateNetworks.has(client));
}

function checkProxies({ config }: Pick<CheckInput, 'config'>): Finding {
  const { trustedProxies, listen, devKeys } = config;
  const found = wrongFor(lintProxies(trustedProxies), 'cannot be used');
  if (found !== undefined) return found;
  if (trustedProxies.length === 0)
    return !devKeys && isLocal(listen.host)
      ? warning(
          `none, but it listens on ${listen.host}`,
          'A proxy on this host must be passing requests on, and the log would show its address for all users. Set `application.trustedProxies` to it.',
        )
      : well('none; behind a proxy it would log the proxy');
  const clientAddress = createClientAddress(trustedProxies);
  const tried = trustedProxies.map((proxy) => {
    const { claimed, client: elsewhere } = samples[proxy.includes(':') ? 'ipv6' : 'ipv4'];
    const client = findNeighbour(proxy) ?? elsewhere;
    const remoteAddress = proxy.replace(/\/.*$/, '');
    const headers = { 'x-forwarded-for': `${claimed}, ${client}` };
    const logged = clientAddress({ socket: { remoteAddress } as never, headers });
    return { proxy, sent: headers['x-forwarded-for'], logged, isRight: logged === client };
  });
  const misled = tried.find(({ isRight }) => !isRight);
  if (misled !== undefined)
    return wrong(
      `${misled.proxy}, "${misled.sent}": logs ${misled.logged}`,
      `\`application.trustedProxies\` trusts clients too: one can choose its address, for the log and for the limits. List only your proxies, like 10.0.0.5 or 10.0.3.0/24.`,
    );
  return well(tried.map(({ proxy, sent, logged }) => `${proxy}, "${sent}": logs ${logged}`).join('\n'));
}

function checkExclusions({ config }: CheckInput): Finding {
  const reasons = lintExclusions(config.exclusions, endpoints);
  return (
    wrongFor(reasons, `${reasons.length} of ${config.exclusions.length} may not be on it`) ??
    well(`${config.exclusions.length} endpoints, all meant for it`)
  );
}

function checkOrigins({ config }: CheckInput): Finding {
  const { origins, cookie, devKeys } = config;
  const found = wrongFor(lintOrigins(origins), 'origins that no browser sends');
  if (found !== undefined) return found;
  const plain = origins.find((origin) => !devKeys && origin.startsWith('http:'));
  if (plain !== undefined)
    return warning(
      `${plain} is not HTTPS`,
      'An attacker on the network path can act as its users. Serve it over HTTPS and correct `application.allowedOrigins`.',
    );
  const sites = origins.length === 0 ? 'no other site' : `${origins.length} other sites`;
  return well(
    `cookie ${cookie.enabled ? (cookie.secure ? 'over HTTPS' : 'also over HTTP') : 'off'}; ${sites}`,
  );
}

const wildcards = ['0.0.0.0', '::', ''];

function checkDecision({ problems, config }: CheckInput): Finding {
  const { host, port, secrets } = config.decision;
  const found = wrongFor(problems.decision, 'its secret is too weak');
  if (found !== undefined) return found;
  if (secrets.length === 0) return well('off: it has no secret');
  return wildcards.includes(host)
    ? warning(
        `open on every address, port ${port}`,
        'It speaks plain HTTP. Set `decision.host` to the address of the network of your gateways, or close the port to all others.',
      )
    : well(`${host}:${port}`);
}

function checkOps({ config }: CheckInput): Finding {
  const { host, port } = config.ops;
  return wildcards.includes(host)
    ? warning(
        `open on every address, port ${port}`,
        'Anybody may read health and metrics. Set `ops.host` to an address of your monitoring network, or close the port to all others.',
      )
    : well(`${host}:${port}`);
}
