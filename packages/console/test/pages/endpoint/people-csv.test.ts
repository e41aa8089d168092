import { expect, it } from 'vitest';
import { writePeopleCsv } from '../../../src/pages/endpoint/people-csv.ts';

const person = {
  ...{ username: 'bo', name: 'Bo', departmentName: 'Sales', roleKey: 'manager', roleName: 'Manager' },
  rule: { method: '*', path: '/orders/*' },
};
const header = '\ufeffusername,name,department,roleKey,role,rule\r\n';

it.each(['=1+1', '+1', '-1', '@a', ' =1', '\u200b=1', '＝1', '\t1'])(
  'the name %j is no formula in a spreadsheet',
  (name) => {
    expect(writePeopleCsv([{ ...person, name }])).toContain(`bo,'${name},Sales`);
  },
);

it('the name "Bo;=1" has no formula behind the semicolon', () => {
  expect(writePeopleCsv([{ ...person, name: 'Bo;=1' }])).toContain("bo,Bo;'=1,Sales");
});

it('a field with a comma, a quote or a line is quoted', () => {
  expect(writePeopleCsv([{ ...person, name: 'Bo "the\nboss", B' }])).toContain(
    'bo,"Bo ""the\nboss"", B",Sales',
  );
});

it('writes a row with its rule for each person, and no rule for admin', () => {
  expect(writePeopleCsv([person, { ...person, username: 'ada', rule: null }])).toBe(
    `${header}bo,Bo,Sales,manager,Manager,* /orders/*\r\nada,Bo,Sales,manager,Manager,\r\n`,
  );
});
