// What the browser really received before the first page of the console could be used.
import assert from 'node:assert/strict';
import { waitUntilIn } from './errands.ts';
import { fillSignIn } from './sign-in.ts';
import { openVisitor, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

const mostBytes = 160_000;

export async function weighFirstPages(world: World): Promise<number> {
  const visitor = await openVisitor(world);
  await visitor.page.goto(`${world.origin}/console/sign-in`);
  await visitor.page.getByRole('img').waitFor();
  await visitor.settle();
  const signIn = await scriptBytes(visitor);
  await fillSignIn(visitor, { username: 'ada' });
  await waitUntilIn(visitor);
  await visitor.settle();
  const overview = await scriptBytes(visitor);
  console.log(`       JavaScript to sign in: ${signIn} bytes, with the overview: ${overview} bytes`);
  assert.ok(signIn > 0 && overview > signIn, 'scripts were received');
  assert.ok(overview <= mostBytes, `${overview} bytes of JavaScript, and ${mostBytes} may be`);
  await visitor.close();
  return 2;
}

async function scriptBytes({ responses }: Visitor): Promise<number> {
  let bytes = 0;
  for (const response of responses) {
    if (!new URL(response.url()).pathname.endsWith('.js')) continue;
    assert.equal(await response.headerValue('content-encoding'), 'gzip', response.url());
    bytes += (await response.request().sizes()).responseBodySize;
  }
  return bytes;
}
