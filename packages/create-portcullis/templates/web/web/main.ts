// Signs in, lists the items of the service, and shows the message of a refused call. Portcullis runs in dev mode here:
// in prod mode a login also requires a captcha, and a second factor if the role requires one.
import { ClientError, createClient, readReply } from '@portcullis/client';

interface Item {
  readonly id: number;
  readonly name: string;
}

const message = document.querySelector('#message') as HTMLElement;
const form = document.querySelector('#sign-in') as HTMLFormElement;
const list = document.querySelector('#items') as HTMLElement;
const client = createClient({
  onSignedOut: () => {
    form.hidden = false;
    list.replaceChildren();
  },
});

/** Calls the service with the token that the client keeps. */
async function call(method: string, path: string): Promise<{ data?: Item[] }> {
  const headers = { authorization: `Bearer ${client.tokenStore.get()}` };
  return (await readReply(await fetch(path, { method, headers }))) as { data?: Item[] };
}

async function attempt(work: () => Promise<void>): Promise<void> {
  message.textContent = '';
  try {
    await work();
  } catch (error) {
    message.textContent = (error instanceof ClientError && error.msg) || 'That did not work. Try again.';
  }
}

async function showItems(): Promise<void> {
  const { data = [] } = await call('GET', '/stock/items');
  list.replaceChildren(
    ...data.map(({ id, name }) => {
      const [entry, button] = [document.createElement('li'), document.createElement('button')];
      button.textContent = `Remove ${name}`;
      button.onclick = () =>
        void attempt(async () => {
          await call('DELETE', `/stock/items/${id}`);
          await showItems();
        });
      entry.append(name, ' ', button);
      return entry;
    }),
  );
}

form.onsubmit = (event) => {
  event.preventDefault();
  const fields = new FormData(form);
  const [username, password] = [String(fields.get('username')), String(fields.get('password'))];
  void attempt(async () => {
    await client.login({ body: { username, password } });
    form.hidden = true;
    await showItems();
  });
};
