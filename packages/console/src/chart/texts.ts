import { defineTexts } from '../language/language.ts';

interface Summary {
  readonly bars: string;
  readonly from: string;
  readonly to: string;
  readonly logins: string;
  readonly failures: string;
}

export const texts = defineTexts({
  en: {
    logins: 'Logins',
    failures: 'Failures',
    time: 'Time',
    nothing: 'No logins in this time',
    showTable: 'Show as a table',
    showChart: 'Show as a chart',
    brush: 'Drag over the bars to choose a time.',
    caption: 'Logins and failures; times with neither are left out',
    perBar: (hours: number) => (hours === 1 ? 'By hour.' : hours === 24 ? 'By day.' : `By ${hours} hours.`),
    summary: ({ bars, from, to, logins, failures }: Summary) =>
      `${bars} ${from} to ${to}: logins ${logins}, failures ${failures}.`,
    highest: (span: string, count: string) => `Most of them ${span}: ${count}.`,
  },
  zh: {
    logins: '登录成功',
    failures: '登录失败',
    time: '时间',
    nothing: '该时段内没有登录',
    showTable: '以表格显示',
    showChart: '以图表显示',
    brush: '在图上拖动可选择时段。',
    caption: '登录成功与失败次数；没有登录的时段不列出',
    perBar: (hours) =>
      hours === 1 ? '按小时统计。' : hours === 24 ? '按天统计。' : `每 ${hours} 小时统计。`,
    summary: ({ bars, from, to, logins, failures }) =>
      `${bars}${from} 至 ${to}：登录成功 ${logins} 次，失败 ${failures} 次。`,
    highest: (span, count) => `最多的时段为 ${span}：${count} 次。`,
  },
});
