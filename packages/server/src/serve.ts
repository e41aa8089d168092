// Runs the service as a process: `createPortcullis`, the password of a first start, and signals.
import { loginEndpoint } from '@portcullis/contract';
import { type Config, findSettingsFile, loadProcessConfig } from './base/settings/config.ts';
import { StartRefusal } from './base/values/start-refusal.ts';
import type { ComposeOptions } from './compose/portcullis.ts';
import { reasonOf } from './compose/reason-of.ts';
import { createPortcullisFrom } from './create-portcullis.ts';
import type { FirstAdministrator } from './people/users/first-start.ts';

/** sysexits.h: a configuration error. */
const exitConfiguration = 78;

interface ServeOptions extends Pick<ComposeOptions, 'routes' | 'credentials'> {
  readonly settingsFile?: string | undefined;
}

/**
 * Runs the service until the process receives a stop signal.
 *
 * @example await serve({ routes: [route(listOrders, handleListOrders)] });
 */
export async function serve({ settingsFile, ...parts }: ServeOptions = {}): Promise<void> {
  const config = loadConfigOrExit(settingsFile);
  const portcullis = await createPortcullisFrom(config, parts).catch(exitWithReason);
  // Shown before the service listens: an occupied port must not lose the password.
  if (portcullis.firstAdministrator !== undefined)
    showFirstAdministrator(portcullis.firstAdministrator, config);
  const listening = portcullis.listen();
  const stop = (drainMilliseconds?: number) =>
    void listening
      .then(() => portcullis.close(drainMilliseconds))
      .then(() => process.exit(0), exitWithReason);
  // Registered before the service is ready, because a supervisor can stop it as soon as it is.
  process.once('SIGTERM', () => stop());
  // At a terminal there is no load balancer, so there is nothing to drain.
  process.once('SIGINT', () => stop(0));
  await listening.catch(async (error: unknown) => {
    await portcullis.close(0);
    return exitWithReason(error);
  });
}

function loadConfigOrExit(settingsFile: string | undefined): Config {
  try {
    return loadProcessConfig({ file: findSettingsFile(settingsFile) });
  } catch (error) {
    return exitWithReason(error);
  }
}

function exitWithReason(error: unknown): never {
  if (error instanceof StartRefusal) {
    process.stderr.write(
      `Portcullis does not start:\n${error.reasons.map((reason) => `  - ${reason}\n`).join('')}`,
    );
    process.exit(exitConfiguration);
  }
  process.stderr.write(`Portcullis stopped: ${reasonOf(error)}\n`);
  process.exit(1);
}

function showFirstAdministrator({ username, password }: FirstAdministrator, config: Config): void {
  const lines = [
    'The administrator was created. This password is shown once:',
    '',
    `  ${username}  ${password}`,
  ];
  if (config.firstPasswordDue) {
    const way = config.consoleEnabled ? 'in the console (/console/)' : 'by `PUT /api/v1/user/password`';
    lines.push('', `Log in and change it, ${way}: nothing else is allowed until then.`);
  }
  if (!config.captchaRequired) {
    const body = JSON.stringify({ username, password });
    const address = `http://${config.listen.host}:${config.listen.port}`;
    lines.push(
      '',
      'Log in with it:',
      '',
      `  curl -H 'Content-Type: application/json' -d '${body}' ${address}${loginEndpoint.path}`,
    );
    if (config.consoleEnabled) lines.push('', `or in a browser: ${address}/console/`);
  }
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
}
