// Endpoints of a role's rules: listing, dry run, changing many rules in one revision, history, rollback and temporary
// rules.
import {
  AppError,
  changeRulesEndpoint,
  changeTemporaryRulesEndpoint,
  compareRulesEndpoint,
  defaultPageLimit,
  listRuleHistoryEndpoint,
  listRulesEndpoint,
  listTemporaryRulesEndpoint,
  type Route,
  rollbackRulesEndpoint,
  route,
  routeName,
  ruleChangesLimit,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import { type CompareOptions, compareRules } from './compare-rules.ts';
import { type CanGrantRules, createRuleChanges, isInGrammar } from './rule-changes.ts';
import { listHistory, readRulesRevision } from './rule-history-store.ts';
import { getRole, listRulesOfRole, type RuleOfRole } from './rule-store.ts';
import { listTemporaryRulesOfRole } from './temporary-rule-store.ts';

interface RuleRoutesOptions extends CanGrantRules, CompareOptions {
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
}

export function ruleRoutes({ store, access, ...options }: RuleRoutesOptions): Route[] {
  const changes = createRuleChanges(options);
  return [
    route(listRulesEndpoint, async ({ params, query: { after, limit = defaultPageLimit } }) => {
      // Read the revision first: after a change in between, it is outdated, and a draft that is based on it is refused.
      const revision = await readRulesRevision(store, await getRole(store, params.id));
      return { data: { ...(await listRulesOfRole(store, params.id, { after, limit })), revision } };
    }),
    route(changeRulesEndpoint, (call) => {
      const draft = { ...checkedDraft(call.body), ifRevision: call.body.ifRevision };
      const write = draft.remove.length > 0 ? access.takeAway : access.give;
      return answerWrite(call, write(call, changes.change(call, draft)));
    }),
    route(compareRulesEndpoint, async (call) => {
      const { rollbackTo, ...draft } = call.body;
      if (rollbackTo === undefined)
        return { data: await compareRules({ store, ...options }, call, checkedDraft(draft)) };
      if (draft.add !== undefined || draft.remove !== undefined) throw new AppError('params_invalid');
      return { data: await compareRules({ store, ...options }, call, { rollbackTo }) };
    }),
    route(listRuleHistoryEndpoint, async ({ params, query: { after, limit = defaultPageLimit } }) => {
      const { id } = await getRole(store, params.id);
      return { data: await listHistory(store, id, { after, limit }) };
    }),
    route(listTemporaryRulesEndpoint, async ({ params }) => {
      const { id } = await getRole(store, params.id);
      return { data: { items: await listTemporaryRulesOfRole(store, id) } };
    }),
    route(changeTemporaryRulesEndpoint, (call) => {
      const { add: set, remove } = checkedDraft({ add: call.body.set, remove: call.body.remove });
      return answerWrite(call, access.takeAway(call, changes.changeTemporary(call, { set, remove })));
    }),
    route(rollbackRulesEndpoint, (call) => {
      const { revision, ifRevision } = call.body;
      return answerWrite(call, access.takeAway(call, changes.rollback(call, revision, ifRevision)));
    }),
  ];
}

/** Rules to remove do not have to parse: an administrator must be able to remove a stored rule that does not parse. */
function checkedDraft<R extends RuleOfRole>({
  add = [],
  remove = [],
}: {
  readonly add?: readonly R[] | undefined;
  readonly remove?: readonly RuleOfRole[] | undefined;
}) {
  const count = add.length + remove.length;
  const removed = new Set(remove.map(routeName));
  const isSound =
    count > 0 &&
    count <= ruleChangesLimit &&
    !add.some((rule) => removed.has(routeName(rule))) &&
    add.every(isInGrammar);
  if (!isSound) throw new AppError('params_invalid');
  return { add, remove };
}
