// The console: a button changes the row that it belongs to, and no text becomes markup.
import type { Weakness } from './weakness.ts';

const pages = 'packages/console/src/pages';
const seenBy = ['npm run browser -- rows'] as const;

export const consoleWeaknesses: readonly Weakness[] = [
  {
    name: 'the console resets to a generated password where one was typed',
    file: `${pages}/users/reset-password-dialog.vue`,
    before: "body: way.value === 'type' ? { password: password.value } : {},",
    after: 'body: {},',
    seenBy,
  },
  {
    name: 'the console skips another delivery of a webhook than the chosen one',
    file: `${pages}/webhooks/deliveries-card.vue`,
    before: 'deliveryId: chosen.value?.id ?? 0',
    after: 'deliveryId: 1 + (chosen.value?.id ?? 0)',
    seenBy,
  },
  {
    name: 'the console ends another webhook than the chosen one',
    file: `${pages}/webhooks/webhooks-page.vue`,
    before: 'const id = ending.value?.id ?? 0;',
    after: 'const id = 1 + (ending.value?.id ?? 0);',
    seenBy,
  },
  {
    name: 'the console does not retry a mail',
    file: `${pages}/mails/mails-page.vue`,
    before: 'run: (id: string) => client.retryMail({ params: { id } }),',
    after: 'run: async (_id: string) => {},',
    seenBy,
  },
  {
    name: 'the console removes another link of a user than the chosen one',
    file: `${pages}/user/user-links.vue`,
    before: 'linkId: removing?.id ?? 0',
    after: 'linkId: (removing?.id ?? 0) + 1',
    seenBy,
  },
  {
    name: 'the audit log of the console shows values as markup',
    file: `${pages}/audit/record-details.vue`,
    before: '{{ difference.now }}</ins',
    after: '<span v-html="difference.now" /></ins',
    seenBy: ['packages/console/test/markup.test.ts'],
  },
];
