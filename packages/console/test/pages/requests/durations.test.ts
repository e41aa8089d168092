import { expect, test } from 'vitest';
import { formatDuration } from '../../../src/language/format-duration.ts';
import { durationsUpTo, readHours } from '../../../src/pages/requests/durations.ts';

test('nothing longer than was asked is offered', () => {
  expect(durationsUpTo(600)).toEqual([600]);
  expect(durationsUpTo(28_800)).toEqual([3600, 28_800]);
  expect(durationsUpTo(604_800)).toEqual([3600, 28_800, 259_200, 604_800]);
});

test.each(['', '0', '-1', '1.5', '9', 'eight', '1e1', '00009'])(
  '%j is no number of hours out of eight',
  (text) => {
    expect(readHours(text, 28_800)).toBeUndefined();
  },
);

test('whole hours up to what was asked are taken', () => {
  expect([readHours('1', 28_800), readHours(' 8 ', 28_800)]).toEqual([3600, 28_800]);
});

test('a time is said in the largest unit that it is whole ones of', () => {
  expect(
    [3600, 28_800, 86_400, 259_200, 5400, 61].map((seconds) => formatDuration('en-GB', seconds)),
  ).toEqual(['1 hour', '8 hours', '1 day', '3 days', '90 minutes', '61 seconds']);
  expect(formatDuration('zh-CN', 28_800)).toMatch(/8\s?小时/);
});
