// Doctor checks on webhooks: deliveries arrive, and the signing secrets can be decrypted.
import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { listWebhookFacts, type WebhookFacts } from '@portcullis/server/people/webhooks/webhook-store.ts';
import { type Check, type CheckInput, type Finding, skipped, warning, well, wrong } from './check.ts';

export const webhookChecks: readonly Check[] = [
  { id: 'webhooks', group: 'log', title: 'webhooks', needs: ['migrations'], run: checkWebhooks },
];

/** All findings on one line of the screen. */
async function checkWebhooks({ store, config, sealingKeys }: CheckInput): Promise<Finding> {
  const [current, ...previous] = sealingKeys;
  if (current === undefined) return skipped('there is no master key');
  const hooks = await listWebhookFacts(store);
  if (hooks.length === 0) return well('none');
  const found = [
    ...lintSecrets(hooks, [current, ...previous]),
    ...lintLetters(hooks),
    ...lintLogins(hooks, config.loginLogEnabled),
  ];
  if (found.length === 0) return well(`${hooks.length}, and no dead letters`);
  return {
    status: found.some(({ status }) => status === 'wrong') ? 'wrong' : 'warning',
    text: found.map(({ text }) => text).join('; '),
    remedies: found.flatMap(({ remedies }) => remedies),
  };
}

function lintSecrets(hooks: readonly WebhookFacts[], keys: readonly [Buffer, ...Buffer[]]): Finding[] {
  const [all, own] = [createSealedSecrets('webhook', keys), createSealedSecrets('webhook', [keys[0]])];
  const closed = hooks.filter(({ id, sealedSecret }) => all.open(id, sealedSecret) === undefined);
  const old = hooks.filter(({ id, sealedSecret }) => own.open(id, sealedSecret) === undefined);
  if (closed.length > 0)
    return [
      wrong(
        `the secrets of ${numbersOf(closed)} stay closed`,
        'Nothing is sent without a signature. Set the master key that sealed them as `auth.previousMasterKey` and run `portcullis keys reseal`; where that key is lost, run `portcullis webhook rotate <number>` for each.',
      ),
    ];
  return old.length === 0
    ? []
    : [
        warning(
          `the secrets of ${numbersOf(old)} are sealed with the previous master key`,
          'When every instance has both keys, run `portcullis keys reseal`.',
        ),
      ];
}

function lintLetters(hooks: readonly WebhookFacts[]): Finding[] {
  const dead = hooks.filter((webhook) => webhook.dead > 0);
  const gone = hooks.filter((webhook) => webhook.gone > 0);
  return [
    ...dead.map((webhook) =>
      warning(
        `${webhook.dead} dead letters of webhook ${webhook.id}`,
        `Later events of the same objects wait. See \`portcullis webhook dead ${webhook.id}\`, then \`replay\` or \`skip\`.`,
      ),
    ),
    ...gone.map((webhook) =>
      warning(
        `${webhook.gone} events of webhook ${webhook.id} were swept before they were delivered`,
        'Keep the logs longer (`logger.retentionMonths`, `logger.auditRetentionMonths`), or read what is missing from a backup. A new webhook counts from 0.',
      ),
    ),
  ];
}

function lintLogins(hooks: readonly WebhookFacts[], isOn: boolean): Finding[] {
  const asking = hooks.filter(({ kinds }) => kinds.some((kind) => kind.startsWith('login.')));
  return isOn || asking.length === 0
    ? []
    : [
        warning(
          `no events of logins for ${numbersOf(asking)}`,
          'Set `logger.enableddb` (LOGGER_ENABLEDDB) to true: what is not recorded is not told.',
        ),
      ];
}

function numbersOf(hooks: readonly WebhookFacts[]): string {
  return hooks.map(({ id }) => `webhook ${id}`).join(', ');
}
