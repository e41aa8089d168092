// What the demo prints for a new user: the URL of the console, the accounts, and example commands with their output.
import { authReasonHeader, errorTable, explainEndpoint, loginEndpoint } from '@portcullis/contract';
import { administrator, clerk } from './company.ts';
import type { DemoPasswords } from './fill-database.ts';
import { deleteOrder, firstOrderId } from './orders.ts';

export interface DemoCommand {
  /** Empty if the command continues the previous one. */
  readonly title: string;
  /** For every POSIX shell with curl and sed. */
  readonly command: string;
  /** Lines of the output; `...` replaces what differs in every run. */
  readonly prints: readonly string[];
}

export interface DemoFacts {
  readonly console: string;
  /** The URL of the decision endpoint for guards and gateways, if the demo has a secret for it. */
  readonly decision?: string;
  readonly administrator: { readonly username: string; readonly password: string };
  readonly clerk: { readonly username: string; readonly password: string };
  /** For other `portcullis` commands while the demo runs. */
  readonly settingsFile: string;
  readonly commands: readonly DemoCommand[];
}

interface DemoFactsOptions {
  readonly address: string;
  readonly passwords: DemoPasswords;
  readonly settingsFile: string;
  readonly decision?: string;
}

export function createDemoFacts({
  address,
  passwords,
  settingsFile,
  ...decision
}: DemoFactsOptions): DemoFacts {
  const accounts = {
    administrator: { username: administrator.username, password: passwords.administrator },
    clerk: { username: clerk.username, password: passwords.others },
  };
  return {
    console: `${address}/console/`,
    ...decision,
    ...accounts,
    settingsFile,
    commands: [
      {
        title: 'Log in:',
        command: `${logIn(address, accounts.administrator)} -w '\\n'`,
        prints: ['{"code":200,"token":"...","expire":"...","requestId":"..."}'],
      },
      ...createRefusal(address, accounts.clerk),
      ...createExplanation(address, accounts.administrator),
    ],
  };
}

const order = deleteOrder.path.replace(':id', String(firstOrderId));

function createRefusal(address: string, account: object): DemoCommand[] {
  const { code, text } = errorTable.permission_denied;
  return [
    {
      title: `Delete an order as ${clerk.username}, a clerk. She may not:`,
      command: keepToken('CLERK', address, account),
      prints: [],
    },
    {
      title: '',
      command: `curl -si -X ${deleteOrder.method} ${address}${order} \\
  -H "Authorization: Bearer $CLERK" -w '\\n'`,
      prints: [
        'HTTP/1.1 200 OK',
        `${authReasonHeader}: permission_denied`,
        `{"code":${code},"msg":"${text.en}"}`,
      ],
    },
  ];
}

function createExplanation(address: string, account: object): DemoCommand[] {
  const { method } = deleteOrder;
  return [
    {
      title: 'Ask why, as the administrator:',
      command: keepToken('ADMIN', address, account),
      prints: [],
    },
    {
      title: '',
      command: `curl -s -G ${address}${explainEndpoint.path} \\
  -H "Authorization: Bearer $ADMIN" \\
  -d roleKey=${clerk.role} -d method=${method} -d path=${order} -w '\\n' |
  sed 's/.*"sentence":"\\(.*\\)","subject".*/\\1/; s/\\\\//g'`,
      prints: [
        `The role "${clerk.role}" may not call ${method} ${order}. Its rule GET ${deleteOrder.path} comes nearest: the method is ${method} where the rule has GET.`,
      ],
    },
  ];
}

function keepToken(name: string, address: string, account: object): string {
  return `${name}=$(${logIn(address, account)} |
  sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`;
}

function logIn(address: string, account: object): string {
  return `curl -s ${address}${loginEndpoint.path} \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(account)}'`;
}
