import { expect, test } from 'vitest';
import { groupTopics } from '#service/mqtt/group-topics.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1));
/** Topic filters with the number of their topics, in the order of their names. */
const groupsOf = (topics: readonly string[]) =>
  groupTopics(topics.map((topicFilter) => ({ topicFilter })))
    .map(({ topicFilter, members }): [string, number] => [topicFilter, members.length])
    .toSorted();

test('topics that differ in one level are a group, if there are at least 10', () => {
  const topics = (count: number) => range(count).map((n) => `devices/d-${n}/up`);
  expect(groupsOf([...topics(214), 'gateway/state'])).toEqual([
    ['devices/+/up', 214],
    ['gateway/state', 1],
  ]);
  expect(groupsOf(topics(10))).toEqual([['devices/+/up', 10]]);
  expect(groupsOf(topics(9))).toHaveLength(9);
});

test('kinds of messages stay apart', () => {
  const topics = range(12).flatMap((n) => ['up', 'down', 'join'].map((kind) => `devices/${n}/${kind}`));
  expect(groupsOf(topics)).toEqual([
    ['devices/+/down', 12],
    ['devices/+/join', 12],
    ['devices/+/up', 12],
  ]);
});

test('groups that differ in one level are grouped again', () => {
  const topics = range(12).flatMap((site) => range(11).map((n) => `site/${site}/device/${site}-${n}/up`));
  expect(groupsOf(topics)).toEqual([['site/+/device/+/up', 132]]);
});

test('a group includes the topics that are stored under its filter', () => {
  const topics = ['tele/+/STATE', ...range(20).map((n) => `tele/${n}/STATE`)];
  expect(groupsOf(topics)).toEqual([['tele/+/STATE', 21]]);
});

test('a topic belongs to one group only, and none is lost', () => {
  const topics = range(11).flatMap((x) => range(30).map((y) => `grid/${x}/${y}`));
  const groups = groupsOf(topics);
  expect(groups.reduce((sum, [, count]) => sum + count, 0)).toBe(topics.length);
  expect(groups).toEqual([['grid/+/+', 330]]);
});

test('topics with hundreds of levels stay as they are', () => {
  const topics = range(20).map((n) => `${n}${'/x'.repeat(400)}`);
  expect(groupsOf(topics)).toHaveLength(20);
});
