// Logs in the benchmark's users, and creates the wrk script that uses their tokens in rotation.
import { accountOf, userCount } from './fixture.ts';
import { helloEndpoint } from './hello.ts';

export async function logInAll(port: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let user = 0; user < userCount; user += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: accountOf(user).username, password: 'any' }),
    });
    tokens.push(((await answer.json()) as { token: string }).token);
  }
  return tokens;
}

export async function expectAllowed(port: number, token: string): Promise<void> {
  await expectAnswered(port, { authorization: `Bearer ${token}` });
}

export async function expectAnswered(port: number, headers: Record<string, string>): Promise<void> {
  const address = `http://127.0.0.1:${port}${helloEndpoint.path}`;
  const answer = await fetch(address, { headers });
  const { code } = (await answer.json()) as { code: number };
  if (code !== 200) throw new Error(`${address} answered ${code} where it should allow.`);
}

export function wrkScript(tokens: readonly string[], path: string = helloEndpoint.path): string {
  return wrkScriptOf(
    'Authorization',
    tokens.map((token) => `Bearer ${token}`),
    path,
  );
}

/** The script that uses the values of the header in rotation. */
export function wrkScriptOf(
  header: string,
  values: readonly string[],
  path: string = helloEndpoint.path,
): string {
  return `
local requests, count, next = {}, 0, 0
function init()
  for value in ([[${values.join('\n')}]]):gmatch("[^\\n]+") do
    count = count + 1
    requests[count] = wrk.format("GET", "${path}", { ["${header}"] = value })
  end
end
function request()
  next = next % count + 1
  return requests[next]
end
`;
}
