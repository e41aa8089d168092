// The casbin model of go-admin, as its `sys_casbin_rule` table is read: what the tests, the fuzzer and the bench
// compare with.
export const goAdminModel = `
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.sub == p.sub && (keyMatch2(r.obj, p.obj) || keyMatch(r.obj, p.obj)) && (r.act == p.act || p.act == "*")
`;
