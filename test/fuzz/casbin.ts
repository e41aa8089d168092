// The engine against node-casbin with go-admin's model, over the grammar that both share: no "." in a literal,
// which casbin reads as any character, and canonical paths. One difference is documented: `/foo/*` on `/foo/`.
import { compile, decide, exportCasbinPolicy, methods, type Rule } from '@portcullis/policy';
import { type Enforcer, newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import { goAdminModel } from '../../packages/policy/test/go-admin-model.ts';
import { type Fuzzer, type FuzzResult, type FuzzRun, mostFailures } from './fuzzer.ts';
import { type RandomRequest, randomRequest, randomRule } from './generate.ts';
import { Random } from './random.ts';
import { isCanonicalPath, isPathMatched } from './reference.ts';

export const fuzzCasbin: Fuzzer = {
  title: 'the decision engine against node-casbin with the model of go-admin',
  defaultCases: 100_000,
  smallCases: 20_000,
  run,
};

const requestsPerWorld = 100;

async function run({ cases, seed, progress }: FuzzRun): Promise<FuzzResult> {
  const failures: string[] = [];
  const counts = { allow: 0, documented: 0 };
  let done = 0;
  for (let world = 0; done < cases && failures.length < mostFailures; world++) {
    done += await fuzzWorld(seed + world, Math.min(requestsPerWorld, cases - done), counts, failures);
    progress(done);
  }
  const share = Math.round((100 * counts.allow) / done);
  const remark = `${share} % of the requests were allowed; ${counts.documented} times the documented difference`;
  return { passed: done - failures.length, failures, remarks: [remark] };
}

async function fuzzWorld(
  seed: number,
  limit: number,
  counts: { allow: number; documented: number },
  failures: string[],
): Promise<number> {
  const random = new Random(seed);
  const made = random.list(1 + random.below(8), () => randomRule(random));
  const rules = made.filter((rule) => !rule.path.includes('.'));
  if (rules.length === 0) return 0;
  const snapshot = compile(rules, 0);
  const enforcer = await casbinWith(rules);
  for (let i = 0; i < limit; i++) {
    const { roleKey, method, path } = sharedRequest(random, rules);
    const ours = decide(snapshot, roleKey, method, path);
    const theirs = enforcer.enforceSync(roleKey, path, method) ? 'allow' : 'deny';
    if (ours === 'allow') counts.allow++;
    if (ours === theirs) continue;
    if (ours === 'deny' && isDocumented(rules, path)) {
      counts.documented++;
      continue;
    }
    const request = `${roleKey} ${method} ${JSON.stringify(path)}`;
    failures.push(
      `${request}: the engine says ${ours}, casbin ${theirs}\n  again: npm run fuzz -- casbin --seed ${seed} --cases ${i + 1}`,
    );
    return i + 1;
  }
  return limit;
}

function casbinWith(rules: readonly Rule[]): Promise<Enforcer> {
  return newEnforcer(newModelFromString(goAdminModel), new StringAdapter(exportCasbinPolicy(rules)));
}

function sharedRequest(random: Random, rules: readonly Rule[]): RandomRequest {
  for (;;) {
    const request = randomRequest(random, rules);
    if (isCanonicalPath(request.path) && isMethod(request.method)) return request;
  }
}

function isMethod(method: string): boolean {
  return methods.some((known) => known === method);
}

function isDocumented(rules: readonly Rule[], path: string): boolean {
  if (!path.endsWith('/')) return false;
  return rules.some((rule) => rule.path.endsWith('/*') && isPathMatched(rule.path.slice(0, -1), path));
}
