// The password that an operator gives to a user: from a file, or made by the service and shown once.
import { readSecret } from './ask.ts';

/** Without a file none is asked for: a random one is better than one that is thought of. */
export async function readPassword(file: string | undefined): Promise<{ password?: string }> {
  if (file === undefined) return {};
  return { password: await readSecret({ file, option: '--password-file', question: 'Password' }) };
}

export function shownOnce(password: string | null): string[] {
  return password === null ? [] : ['This password is shown once:', '', `  ${password}`, ''];
}
