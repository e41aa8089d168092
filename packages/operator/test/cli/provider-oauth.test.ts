// Providers by OAuth 2 at the command line, on a real database.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'oauth-'));
let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

const add = (key: string, ...options: string[]) => {
  const uri = `https://admin.example.com/console/callback/${key}`;
  const words = ['provider', 'add-oauth', key, '--client-id', 'c', '--redirect-uri', uri, ...options];
  return performCommand([...words, '--secret-file', '-'], { url: database.url, input: 'secret\n' });
};

describe('a provider by OAuth 2', () => {
  it.each([
    ['a preset that is not known', ['--preset', 'gitlab'], /Presets are github/],
    ['Feishu without its tenant', ['--preset', 'feishu'], /need --tenant/],
    ['WeCom without its app', ['--preset', 'wecom'], /needs --agent-id/],
    ['no preset and no settings', [], /all addresses/],
    ['a file that is no JSON', ['--settings', fileOf('broken', '{')], /no JSON object/],
  ])('is refused with %s', async (_what, options, said) => {
    expect(await add('refused', ...options)).toMatchObject({ code: 1, stderr: expect.stringMatching(said) });
  });

  it('is added by its preset, which is untested, and by explicit settings', async () => {
    const preset = await add('ding', '--preset', 'dingtalk', '--tenant', 'ding1');
    expect(preset).toMatchObject({ code: 0, stdout: expect.stringMatching(/not enabled[\s\S]*not tried/) });
    const settings = {
      authorizationUrl: 'https://a.example.com/authorize',
      tokenUrl: 'https://a.example.com/token',
      userInfoUrl: 'https://a.example.com/user',
      subjectPath: '/id',
    };
    const own = await add('own', '--settings', fileOf('own', JSON.stringify(settings)));
    expect(own).toMatchObject({ code: 0, stdout: expect.not.stringContaining('not tried') });
    const list = await performCommand(['provider', 'list', '--json'], { url: database.url });
    expect(JSON.parse(list.stdout)).toMatchObject({
      items: [
        { key: 'ding', kind: 'oauth', hasSecret: true, settings: { preset: 'dingtalk', tenant: 'ding1' } },
        { key: 'own', kind: 'oauth', hasSecret: true, settings },
      ],
    });
  });
});

function fileOf(name: string, text: string): string {
  const file = join(folder, `${name}.json`);
  writeFileSync(file, text);
  return file;
}
