// The policy engines of the benchmark. All get the same rules and answer the same requests.
import { createRequire } from 'node:module';
import {
  type AccessRequest,
  compile,
  decide,
  exportCasbinPolicy,
  matched,
  methods,
  type Rule,
} from '@portcullis/policy';
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';
import findMyWay from 'find-my-way';
import { goAdminModel } from '../../packages/policy/test/go-admin-model.ts';
import type { Workload } from './workload.ts';

export interface Engine {
  readonly name: string;
  /** Above this number of rules the engine is skipped: it would need minutes, or too much memory. */
  readonly mostRules: number;
  /** The number of decisions per round. */
  readonly batch: number;
  readonly load: (workload: Workload) => Promise<Ask>;
}

/** Whether a request is allowed. */
export type Ask = (request: AccessRequest) => boolean | Promise<boolean>;

export const portcullis: Engine = {
  name: 'portcullis',
  mostRules: 1_000_000,
  batch: 8192,
  async load({ rules }) {
    const snapshot = compile(rules, 1);
    return ({ roleKey, method, path }) => decide(snapshot, roleKey, method, path) === 'allow';
  },
};

/** Names the rule of an allowed request, for the call log. */
export const portcullisMatched: Engine = {
  ...portcullis,
  name: 'portcullis, decision and matched rule',
  mostRules: 100_000,
  async load({ rules }) {
    const snapshot = compile(rules, 1);
    return ({ roleKey, method, path }) =>
      decide(snapshot, roleKey, method, path) === 'allow' &&
      matched(snapshot, roleKey, method, path) !== undefined;
  },
};

export const findMyWayIndex: Engine = {
  name: 'find-my-way, one router a role',
  mostRules: 100_000,
  batch: 8192,
  async load({ rules }) {
    const routers = new Map<string, ReturnType<typeof findMyWay>>();
    for (const { roleKey, method, path } of rules) {
      const router = routers.get(roleKey) ?? findMyWay();
      routers.set(roleKey, router);
      for (const one of method === '*' ? methods : [method]) router.on(one, path, () => undefined);
    }
    return ({ roleKey, method, path }) => {
      const router = routers.get(roleKey);
      return router !== undefined && router.find(asHttpMethod(method), path) !== null;
    };
  },
};

function asHttpMethod(method: string): (typeof methods)[number] {
  return method as (typeof methods)[number];
}

export const casbinSync: Engine = {
  name: 'casbin enforceSync',
  mostRules: 100_000,
  batch: 8,
  async load({ rules }) {
    const enforcer = await loadCasbin(rules);
    return ({ roleKey, method, path }) => enforcer.enforceSync(roleKey, path, method);
  },
};

export const casbinAsync: Engine = {
  name: 'casbin enforce',
  mostRules: 100_000,
  batch: 8,
  async load({ rules }) {
    const enforcer = await loadCasbin(rules);
    return ({ roleKey, method, path }) => enforcer.enforce(roleKey, path, method);
  },
};

function loadCasbin(rules: readonly Rule[]) {
  return newEnforcer(newModelFromString(goAdminModel), new StringAdapter(exportCasbinPolicy(rules)));
}

// Cedar has no path segments: a parameter is written as `*`, which in Cedar also matches slashes. It therefore answers
// some requests differently; the benchmark compares only the time.
export const cedar: Engine = {
  name: 'cedar-wasm, policies preparsed',
  mostRules: 10_000,
  batch: 8,
  async load({ rules }) {
    const wasm: typeof import('@cedar-policy/cedar-wasm/nodejs') = createRequire(import.meta.url)(
      '@cedar-policy/cedar-wasm/nodejs',
    );
    const id = `rules-${rules.length}`;
    const answer = wasm.preparsePolicySet(id, { staticPolicies: rules.map(cedarPolicy).join('\n') });
    if (answer.type !== 'success') throw new Error(JSON.stringify(answer.errors));
    return ({ roleKey, method, path }) => {
      const decision = wasm.statefulIsAuthorized({
        principal: { type: 'Role', id: roleKey },
        action: { type: 'Action', id: method },
        resource: { type: 'Api', id: 'api' },
        context: { path },
        preparsedPolicySetId: id,
        entities: [],
      });
      return decision.type === 'success' && decision.response.decision === 'allow';
    };
  },
};

function cedarPolicy({ roleKey, method, path }: Rule): string {
  const action = method === '*' ? 'action' : `action == Action::"${method}"`;
  const pattern = path.replaceAll(/:\w+/g, '*');
  return `permit(principal == Role::"${roleKey}", ${action}, resource) when { context.path like "${pattern}" };`;
}
