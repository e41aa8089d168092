// `portcullis webhook`: lists, adds, tests and ends webhooks, rotates their secrets, and replays
// or skips failed deliveries.
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  endWebhookEndpoint,
  listDeliveriesEndpoint,
  listWebhooksEndpoint,
  replayDeliveriesEndpoint,
  skipDeliveriesEndpoint,
  testWebhookEndpoint,
  type WebhookDelivery,
} from '@portcullis/contract';
import { type Command, InvalidArgumentError } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { CommandFailure } from '../../../terminal/exit-codes.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, shortMoment, table } from '../../../terminal/output.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { showList } from '../../../terminal/show-list.ts';
import { withOperator } from '../../with-store.ts';

export function addWebhook(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('Webhooks: to whom logins, refusals and changes are told.');
  addList(webhook);
  addAdd(webhook);
  addRotate(webhook);
  addTest(webhook);
  addDead(webhook);
  addReplay(webhook);
  addSkip(webhook);
  addRemove(webhook);
}

const numberArgument = ['<number>', 'which, as `webhook list` shows it', parseNumber] as const;

function parseNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Give its number.');
  return number;
}

const refused = (id: number) =>
  refusedAs({
    record_not_found: `There is no such webhook or delivery. \`portcullis webhook list\` lists the webhooks, \`portcullis webhook dead ${id}\` the deliveries of this one.`,
  });

function addList(webhook: Command): void {
  const list = webhook
    .command('list')
    .description('List the webhooks, and how far each has come.')
    .action(() =>
      withOperator(list, async (operator) => {
        const { data } = await operator.call(listWebhooksEndpoint, {});
        outputOf(list).show(data, () => [showHooks(data.items), ...hintsOf(data)].join('\n'));
      }),
    );
  addExamples(list, 'portcullis webhook list');
}

type Listed = Awaited<ReturnType<typeof readHooks>>;
async function readHooks(operator: Operator) {
  return (await operator.call(listWebhooksEndpoint, {})).data;
}

function showHooks(items: Listed['items']): string {
  if (items.length === 0) return 'There are no webhooks.';
  return table(
    ['Number', 'Name', 'URL', 'Kinds', 'Delivered', 'Behind', 'Dead', 'Last delivered', 'Problem'],
    items.map((webhook) => [
      webhook.id,
      webhook.enabled ? webhook.name : `${webhook.name} (off)`,
      webhook.url,
      webhook.kinds.join(' ') || 'all',
      webhook.delivered,
      webhook.behind + webhook.held,
      webhook.dead,
      shortMoment(webhook.lastDeliveredAt),
      webhook.problem,
    ]),
  );
}

function hintsOf({ items, loginEvents }: Listed): string[] {
  const gone = items.filter((webhook) => webhook.gone > 0);
  return [
    ...(loginEvents ? [] : ['`logger.enableddb` is off: there are no events of logins.']),
    ...gone.map(
      ({ id, gone: n }) =>
        `Of webhook ${id}, ${n} events were swept from their log before they were delivered.`,
    ),
  ];
}

function addAdd(webhook: Command): void {
  const add = webhook
    .command('add')
    .description('Tell events to a URL from now on. Its secret is shown once.')
    .argument('<name>', 'what you call it')
    .argument('<url>', 'where events are sent with POST')
    .option(
      '--kinds <kinds...>',
      'only these kinds, such as `user.create`, or `user.*` for all that begin so',
    )
    .action((name: string, url: string, { kinds = [] }: { kinds?: string[] }) =>
      withOperator(add, async (operator) => {
        const { data } = await operator.call(createWebhookEndpoint, { body: { name, url, kinds } }).catch(
          refusedAs({
            webhook_url_refused:
              'Events are not sent there. Give an https:// URL of a public host, or allow the address with `webhook.allowedNetworks` or `webhook.allowLoopback`.',
            conflict: 'There are 20 webhooks already. End one with `portcullis webhook remove`.',
          }),
        );
        const { loginEvents } = await readHooks(operator);
        outputOf(add).show(data, () =>
          [
            `Webhook ${data.id} is told what comes into the logs from now on. Its secret, which is shown this once:`,
            `  ${data.secret}`,
            `Give it to the receiver, then try it: \`portcullis webhook test ${data.id}\`.`,
            ...(loginEvents ? [] : ['`logger.enableddb` is off: there are no events of logins.']),
          ].join('\n'),
        );
      }),
    );
  addExamples(add, "portcullis webhook add SIEM https://siem.example.com/in --kinds 'login.*'");
}

function addRotate(webhook: Command): void {
  const rotate = webhook
    .command('rotate')
    .description('Make a new secret. The previous one signs too, for a day or until --finish.')
    .argument(...numberArgument)
    .option('--finish', 'the previous secret signs no more')
    .action((id: number, { finish = false }: { finish?: boolean }) =>
      withOperator(rotate, async (operator) => {
        const body = { secret: finish ? ('finish' as const) : ('rotate' as const) };
        const { data } = await operator
          .call(changeWebhookEndpoint, { params: { id }, body })
          .catch(refusedAs({ conflict: `Webhook ${id} has one secret alone: there is nothing to finish.` }))
          .catch(refused(id));
        outputOf(rotate).show(data, () =>
          data.secret === null
            ? `The previous secret of webhook ${id} signs no more.`
            : `The new secret of webhook ${id}, which is shown this once:\n  ${data.secret}\nGive it to the receiver, then run \`portcullis webhook rotate ${id} --finish\`.`,
        );
      }),
    );
  addExamples(rotate, 'portcullis webhook rotate 1', 'portcullis webhook rotate 1 --finish');
}

function addTest(webhook: Command): void {
  const test = webhook
    .command('test')
    .description('Record a test, and wait until an instance has delivered it.')
    .argument(...numberArgument)
    .action((id: number) =>
      withOperator(test, async (operator) => {
        const { data } = await operator
          .call(testWebhookEndpoint, { params: { id } })
          .catch(refusedAs({ conflict: `Webhook ${id} is off.` }))
          .catch(refused(id));
        if (!data.delivered)
          throw new CommandFailure(`Webhook ${id} did not take the test: ${data.problem}.`);
        outputOf(test).show(data, () => `Webhook ${id} took the test.`);
      }),
    );
  addExamples(test, 'portcullis webhook test 1');
}

function addDead(webhook: Command): void {
  const dead = webhook
    .command('dead')
    .description('List dead letters, oldest first; each holds the later events of its object.')
    .argument(...numberArgument)
    .option('--all', 'also what is tried again, and what waits behind another')
    .action((id: number, { all = false }: { all?: boolean }) =>
      withOperator(dead, (operator) =>
        showList<WebhookDelivery>(
          dead,
          async (page) => {
            const query = all ? page : { ...page, state: 'dead' as const };
            return (await operator.call(listDeliveriesEndpoint, { params: { id }, query })).data;
          },
          {
            all: true,
            noun: 'dead letter',
            columns: {
              Letter: ({ delivery }) => delivery,
              State: ({ state }) => state,
              Kind: ({ kind }) => kind,
              Object: ({ object }) => object,
              Recorded: ({ at }) => shortMoment(at),
              Tries: ({ tries }) => tries,
              Problem: ({ problem }) => problem,
            },
          },
        ),
      ),
    );
  addExamples(dead, 'portcullis webhook dead 1');
}

function addReplay(webhook: Command): void {
  const replay = webhook
    .command('replay')
    .description('Retry dead letters: one of them, or all.')
    .argument(...numberArgument)
    .option('--delivery <delivery>', 'only this one, as `webhook dead` shows it', parseNumber)
    .action((id: number, { delivery }: { delivery?: number }) =>
      withOperator(replay, async (operator) => {
        const body = delivery === undefined ? {} : { delivery };
        const { data } = await operator
          .call(replayDeliveriesEndpoint, { params: { id }, body })
          .catch(refused(id));
        outputOf(replay).show(data, () => `Letters that are tried again: ${data.count}.`);
      }),
    );
  addExamples(replay, 'portcullis webhook replay 1', 'portcullis webhook replay 1 --delivery 12');
}

function addSkip(webhook: Command): void {
  const skip = webhook
    .command('skip')
    .description('Skip a delivery: it is never sent, and the deliveries behind it continue.')
    .argument(...numberArgument)
    .argument('<delivery>', 'which, as `webhook dead` shows it', parseNumber)
    .action((id: number, delivery: number) =>
      withOperator(skip, async (operator) => {
        const { data } = await operator
          .call(skipDeliveriesEndpoint, { params: { id }, body: { delivery } })
          .catch(refused(id));
        outputOf(skip).show(data, () => `Letter ${delivery} is given up. The audit log names its event.`);
      }),
    );
  addExamples(skip, 'portcullis webhook skip 1 12');
}

function addRemove(webhook: Command): void {
  const remove = webhook
    .command('remove')
    .description('End a webhook. When this returns, nothing is sent any more.')
    .argument(...numberArgument)
    .option('--yes', 'do not ask')
    .action((id: number, options: { yes?: boolean }) =>
      withOperator(remove, async (operator) => {
        await confirmOrEnd(`End webhook ${id}, and forget what it has not delivered?`, options);
        await operator.call(endWebhookEndpoint, { params: { id } }).catch(refused(id));
        outputOf(remove).show({ id }, () => `Webhook ${id} is ended.`);
      }),
    );
  addExamples(remove, 'portcullis webhook remove 1 --yes');
}
