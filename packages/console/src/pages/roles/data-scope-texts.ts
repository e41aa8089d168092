// The five data scopes in words.
import { defineTexts } from '../../language/language.ts';

export const dataScopeTexts = defineTexts({
  en: {
    names: {
      '1': 'All data',
      '2': 'Chosen departments',
      '3': 'Own department',
      '4': 'Own department and below',
      '5': 'Own rows only',
    },
    meanings: {
      '1': 'Sees the rows of everybody.',
      '2': 'Sees the rows of the departments that are chosen for the role.',
      '3': 'Sees the rows of their own department, not of those below it.',
      '4': 'Sees the rows of their own department and of every department below it.',
      '5': 'Sees only their own rows.',
    },
  },
  zh: {
    names: {
      '1': '全部数据',
      '2': '自定义部门',
      '3': '本部门',
      '4': '本部门及以下',
      '5': '仅本人',
    },
    meanings: {
      '1': '可查看所有人的数据。',
      '2': '可查看为该角色选定的部门的数据。',
      '3': '可查看本部门的数据，不含下级部门。',
      '4': '可查看本部门及所有下级部门的数据。',
      '5': '只能查看本人的数据。',
    },
  },
});
