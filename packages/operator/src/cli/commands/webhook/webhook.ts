// `portcullis webhook`: lists, adds, tests and deletes webhooks, rotates their secrets, and replays or skips pending deliveries.
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  type DeliveryState,
  deliveryStates,
  endWebhookEndpoint,
  listDeliveriesEndpoint,
  listWebhooksEndpoint,
  replayDeliveriesEndpoint,
  skipDeliveriesEndpoint,
  testWebhookEndpoint,
  type WebhookDelivery,
} from '@portcullis/contract';
import { type Command, Option } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { CommandFailure } from '../../../terminal/exit-codes.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, shortMoment, table } from '../../../terminal/output.ts';
import { wholeNumber } from '../../../terminal/parse-argument.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { showList } from '../../../terminal/show-list.ts';
import { withOperator } from '../../with-store.ts';

export function addWebhook(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('Webhooks: send logins, refusals and changes to other systems.');
  addList(webhook);
  addAdd(webhook);
  addRotate(webhook);
  addTest(webhook);
  addDeliveries(webhook);
  addReplay(webhook);
  addSkip(webhook);
  addRemove(webhook);
}

const numberArgument = ['<number>', 'as `webhook list` shows it', wholeNumber()] as const;
const noLoginEvents = '`logger.enableddb` is off: there are no login events.';

const refused = (id: number) =>
  refusedAs({
    record_not_found: `There is no such webhook or delivery. \`portcullis webhook list\` lists the webhooks, \`portcullis webhook deliveries ${id}\` the pending deliveries of this webhook.`,
  });

function addList(webhook: Command): void {
  const list = webhook
    .command('list')
    .description('List the webhooks, with their delivered events and their backlog.')
    .action(() =>
      withOperator(list, async (operator) => {
        const { data } = await operator.call(listWebhooksEndpoint, {});
        outputOf(list).show(data, () => [showWebhooks(data.items), ...hintsOf(data)].join('\n'));
      }),
    );
  addExamples(list, 'portcullis webhook list');
}

type Listed = Awaited<ReturnType<typeof readWebhooks>>;
async function readWebhooks(operator: Operator) {
  return (await operator.call(listWebhooksEndpoint, {})).data;
}

function showWebhooks(items: Listed['items']): string {
  if (items.length === 0) return 'There are no webhooks.';
  return table(
    [
      ...['Number', 'Name', 'URL', 'Event types', 'Delivered'],
      ...['Not delivered', 'Dead letters', 'Last delivered', 'Last error'],
    ],
    items.map((webhook) => [
      webhook.id,
      webhook.enabled ? webhook.name : `${webhook.name} (off)`,
      webhook.url,
      webhook.types.join(' ') || 'all',
      webhook.delivered,
      webhook.backlog + webhook.pending,
      webhook.deadLetters,
      shortMoment(webhook.lastDeliveredAt),
      webhook.lastError,
    ]),
  );
}

function hintsOf({ items, loginEvents }: Listed): string[] {
  const incomplete = items.filter((webhook) => webhook.expired > 0);
  return [
    ...(loginEvents ? [] : [noLoginEvents]),
    ...incomplete.map(
      ({ id, expired }) =>
        `The log records of ${expired} events of webhook ${id} were deleted before their delivery.`,
    ),
  ];
}

function addAdd(webhook: Command): void {
  const add = webhook
    .command('add')
    .description('Send new events to a URL. Prints the secret once.')
    .argument('<name>', 'a name for the webhook')
    .argument('<url>', 'events are sent to it with POST')
    .option('--types <types...>', 'only these event types, such as `user.create`, or `user.*` for a prefix')
    .action((name: string, url: string, { types = [] }: { types?: string[] }) =>
      withOperator(add, async (operator) => {
        const { data } = await operator.call(createWebhookEndpoint, { body: { name, url, types } }).catch(
          refusedAs({
            webhook_url_refused:
              'This URL is not allowed. Use an https:// URL of a public host, or allow the address with `webhook.allowedNetworks` or `webhook.allowLoopback`.',
            conflict: 'There are 20 webhooks already. Delete one with `portcullis webhook remove`.',
          }),
        );
        const { loginEvents } = await readWebhooks(operator);
        outputOf(add).show(data, () =>
          [
            `Webhook ${data.id} sends the log records that are created from now on. Its secret, which is not shown again:`,
            `  ${data.secret}`,
            `Give the secret to the receiver, then send a test event: \`portcullis webhook test ${data.id}\`.`,
            ...(loginEvents ? [] : [noLoginEvents]),
          ].join('\n'),
        );
      }),
    );
  addExamples(add, "portcullis webhook add SIEM https://siem.example.com/in --types 'login.*'");
}

function addRotate(webhook: Command): void {
  const rotate = webhook
    .command('rotate')
    .description('Create a new secret. Events are signed with both secrets for a day, or until --finish.')
    .argument(...numberArgument)
    .option('--finish', 'stop signing with the previous secret')
    .action((id: number, { finish = false }: { finish?: boolean }) =>
      withOperator(rotate, async (operator) => {
        const body = { secret: finish ? ('finish' as const) : ('rotate' as const) };
        const { data } = await operator
          .call(changeWebhookEndpoint, { params: { id }, body })
          .catch(
            refusedAs({ conflict: `Webhook ${id} has only one secret: there is no rotation to finish.` }),
          )
          .catch(refused(id));
        outputOf(rotate).show(data, () =>
          data.secret === null
            ? `Events of webhook ${id} are no longer signed with the previous secret.`
            : `The new secret of webhook ${id}, which is not shown again:\n  ${data.secret}\nGive it to the receiver, then run \`portcullis webhook rotate ${id} --finish\`.`,
        );
      }),
    );
  addExamples(rotate, 'portcullis webhook rotate 1', 'portcullis webhook rotate 1 --finish');
}

function addTest(webhook: Command): void {
  const test = webhook
    .command('test')
    .description('Record a test event, and wait until an instance has delivered it.')
    .argument(...numberArgument)
    .action((id: number) =>
      withOperator(test, async (operator) => {
        const { data } = await operator
          .call(testWebhookEndpoint, { params: { id } })
          .catch(refusedAs({ conflict: `Webhook ${id} is off.` }))
          .catch(refused(id));
        if (!data.delivered)
          throw new CommandFailure(`The test event of webhook ${id} is not delivered: ${data.error}.`);
        outputOf(test).show(data, () => `The test event of webhook ${id} is delivered.`);
      }),
    );
  addExamples(test, 'portcullis webhook test 1');
}

function addDeliveries(webhook: Command): void {
  const deliveries = webhook
    .command('deliveries')
    .description(
      'List the pending deliveries, oldest first. A dead letter blocks later events of its subject.',
    )
    .argument(...numberArgument)
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(deliveryStates))
    .action((id: number, { state }: { state?: DeliveryState }) =>
      withOperator(deliveries, (operator) =>
        showList<WebhookDelivery>(
          deliveries,
          async (page) => {
            const query = state === undefined ? page : { ...page, state };
            return (await operator.call(listDeliveriesEndpoint, { params: { id }, query })).data;
          },
          {
            all: true,
            noun: 'pending delivery',
            plural: 'pending deliveries',
            columns: {
              Delivery: (delivery) => delivery.id,
              State: (delivery) => delivery.state,
              Type: ({ type }) => type,
              Subject: ({ subject }) => subject,
              Recorded: ({ at }) => shortMoment(at),
              Attempts: ({ attempts }) => attempts,
              'Last error': ({ lastError }) => lastError,
            },
          },
        ),
      ),
    );
  addExamples(deliveries, 'portcullis webhook deliveries 1', 'portcullis webhook deliveries 1 --state dead');
}

function addReplay(webhook: Command): void {
  const replay = webhook
    .command('replay')
    .description('Retry one delivery, or all dead letters.')
    .argument(...numberArgument)
    .option('--delivery <delivery>', 'only this one, as `webhook deliveries` shows it', wholeNumber())
    .action((id: number, { delivery }: { delivery?: number }) =>
      withOperator(replay, async (operator) => {
        const body = delivery === undefined ? {} : { deliveryId: delivery };
        const { data } = await operator
          .call(replayDeliveriesEndpoint, { params: { id }, body })
          .catch(refused(id));
        outputOf(replay).show(data, () => `Deliveries that are retried: ${data.count}.`);
      }),
    );
  addExamples(replay, 'portcullis webhook replay 1', 'portcullis webhook replay 1 --delivery 12');
}

function addSkip(webhook: Command): void {
  const skip = webhook
    .command('skip')
    .description('Skip a delivery: it is never sent, and the deliveries that wait for it continue.')
    .argument(...numberArgument)
    .argument('<delivery>', 'as `webhook deliveries` shows it', wholeNumber())
    .action((id: number, delivery: number) =>
      withOperator(skip, async (operator) => {
        const { data } = await operator
          .call(skipDeliveriesEndpoint, { params: { id }, body: { deliveryId: delivery } })
          .catch(refused(id));
        outputOf(skip).show(data, () => `Delivery ${delivery} is skipped. The audit log records its event.`);
      }),
    );
  addExamples(skip, 'portcullis webhook skip 1 12');
}

function addRemove(webhook: Command): void {
  const remove = webhook
    .command('remove')
    .description('Delete a webhook. No event is sent after the command returns.')
    .argument(...numberArgument)
    .option('--yes', 'do not ask')
    .action((id: number, options: { yes?: boolean }) =>
      withOperator(remove, async (operator) => {
        await confirmOrEnd(`Delete webhook ${id} and its pending deliveries?`, options);
        await operator.call(endWebhookEndpoint, { params: { id } }).catch(refused(id));
        outputOf(remove).show({ id }, () => `Webhook ${id} is deleted.`);
      }),
    );
  addExamples(remove, 'portcullis webhook remove 1 --yes');
}
