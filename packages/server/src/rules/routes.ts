// The rules of a role: reading them, and changing many in one revision.
import {
  AppError,
  type changeRulesEndpoint,
  defaultPageLimit,
  type Handler,
  type listRulesEndpoint,
  type RuleChangesBody,
  ruleChangesLimit,
} from '@portcullis/contract';
import { parseRule } from '@portcullis/policy';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { answerWrite } from '../cluster/answer-write.ts';
import type { Store } from '../store/store.ts';
import { changeRules, listRulesOfRole } from './rule-store.ts';

export interface RuleRoutes {
  readonly listRules: Handler<typeof listRulesEndpoint>;
  readonly changeRules: Handler<typeof changeRulesEndpoint>;
}

interface RuleRoutesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
}

export function createRuleRoutes({ store, access }: RuleRoutesOptions): RuleRoutes {
  return {
    listRules: async ({ params, query: { after, limit = defaultPageLimit } }) => ({
      data: await listRulesOfRole(store, params.id, { after, limit }),
    }),
    changeRules: (call) => {
      const changes = checkedChanges(call.body);
      const write = changes.remove.length > 0 ? access.takeAway : access.give;
      return answerWrite(
        call,
        write((transaction) => changeRules(transaction, call.params.id, changes)),
      );
    },
  };
}

/** What is removed need not parse: a stored rule that does not is the first one to want gone. */
function checkedChanges({ add = [], remove = [] }: RuleChangesBody) {
  const count = add.length + remove.length;
  const removed = new Set(remove.map(textOf));
  const isSound =
    count > 0 &&
    count <= ruleChangesLimit &&
    !add.some((rule) => removed.has(textOf(rule))) &&
    // Any role key will do here: the role's own is known to be good.
    add.every((rule) => 'rule' in parseRule({ roleKey: 'any', ...rule }));
  if (!isSound) throw new AppError('params_invalid');
  return { add, remove };
}

function textOf({ method, path }: { method: string; path: string }): string {
  return `${method} ${path}`;
}
