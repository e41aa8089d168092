// The public interface of the policy engine. The package has no dependencies and runs in browsers.

export { exportCasbinPolicy, exportCasbinRows } from './casbin/export-casbin.ts';
export {
  type CasbinImport,
  type CasbinRemark,
  type CasbinRow,
  importCasbinPolicy,
  importCasbinRows,
} from './casbin/import-casbin.ts';
export { compareSnapshots, type RoleDifference } from './compare-snapshots.ts';
export { applyChanges, type Changes, compile, type Snapshot } from './compile.ts';
export { type AccessRequest, type Decision, decide, decideMany } from './decide.ts';
export { type Exclusion, type Explanation, explain } from './explain.ts';
export { listRoles, listRules } from './list-rules.ts';
export { matched } from './matched.ts';
export { type Method, methods, type RuleMethod } from './method.ts';
export type { Difference, NearRule } from './nearest-rules.ts';
export { parseRule, type Rule, type RuleText, ruleLimits } from './parse-rule.ts';
export type { RoleRules } from './role-rules.ts';
export {
  type FileRule,
  findRuleProblem,
  type Remark,
  type RuleFile,
  type RuleFormat,
  readRuleFile,
  ruleFormats,
  writeRuleFile,
} from './rule-file.ts';
export { splitRuleText } from './rule-text.ts';
