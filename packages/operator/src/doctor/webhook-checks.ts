// Doctor checks on webhooks: deliveries arrive, and the signing secrets can be decrypted.
import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { listWebhookFacts, type WebhookFacts } from '@portcullis/server/people/webhooks/webhook-store.ts';
import { countOf } from '../terminal/count-of.ts';
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
    ...lintDeliveries(hooks),
    ...lintLogins(hooks, config.loginLogEnabled),
  ];
  if (found.length === 0) return well(`${hooks.length}, without dead letters`);
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
        `the secrets of ${numbersOf(closed)} cannot be decrypted`,
        'No event is sent without a signature. Set the master key that encrypted them as `auth.previousMasterKey` and run `portcullis signing-keys reseal`. If that key is lost, run `portcullis webhook rotate <number>` for each webhook.',
      ),
    ];
  return old.length === 0
    ? []
    : [
        warning(
          `the secrets of ${numbersOf(old)} are encrypted with the previous master key`,
          'When every instance has both master keys, run `portcullis signing-keys reseal`.',
        ),
      ];
}

function lintDeliveries(hooks: readonly WebhookFacts[]): Finding[] {
  const dead = hooks.filter((webhook) => webhook.deadLetters > 0);
  const gone = hooks.filter((webhook) => webhook.expired > 0);
  return [
    ...dead.map((webhook) =>
      warning(
        `${countOf(webhook.deadLetters, 'dead letter')} of webhook ${webhook.id}`,
        `Later events of the same subjects wait. Run \`portcullis webhook deliveries ${webhook.id} --state dead\`, then \`portcullis webhook replay\` or \`skip\`.`,
      ),
    ),
    ...gone.map((webhook) =>
      warning(
        `the log records of ${countOf(webhook.expired, 'event')} of webhook ${webhook.id} were deleted before their delivery`,
        'Keep the logs longer (`logger.retentionMonths`, `logger.auditRetentionMonths`), or read the missing records from a backup. A new webhook counts from 0.',
      ),
    ),
  ];
}

function lintLogins(hooks: readonly WebhookFacts[], isOn: boolean): Finding[] {
  const asking = hooks.filter(({ types }) => types.some((type) => type.startsWith('login.')));
  return isOn || asking.length === 0
    ? []
    : [
        warning(
          `no login events for ${numbersOf(asking)}`,
          'Set `logger.enableddb` (LOGGER_ENABLEDDB) to true: without it, logins are not recorded and not sent.',
        ),
      ];
}

function numbersOf(hooks: readonly WebhookFacts[]): string {
  return hooks.map(({ id }) => `webhook ${id}`).join(', ');
}
