// The lines of the README for programs, word for word.
import { readFile } from 'node:fs/promises';
import { createMachineClient, parseMachineKey } from '@portcullis/client/machine';

export async function runProgram() {
  const client = createMachineClient({
    baseUrl: 'https://admin.example.com',
    key: async () => parseMachineKey(await readFile('/etc/deploy/deploy-key.json', 'utf8')),
  });
  const { data } = await client.listSessions();
  return data;
}
