import { expect, it } from 'vitest';
import { dialectsOf } from '../../../src/dialects/recognise.js';

const recognised = (text: string): readonly string[] => {
  const { value, diagnostics } = dialectsOf({ path: 'x.sql', text });
  return value ?? diagnostics.map(({ message }) => message);
};

it('takes a schema of the family for both, and asks', () => {
  expect(
    recognised(
      "CREATE TABLE `a` (b INT AUTO_INCREMENT PRIMARY KEY, c TEXT COMMENT 'it\\'s') ENGINE=InnoDB;",
    ),
  ).toEqual(['this file does not say which database it is for: it fits mysql and mariadb']);
});

it('knows MariaDB by what only it has', () => {
  expect(recognised('CREATE TABLE `a` (b INET6);')).toEqual(['mariadb']);
  expect(recognised('/*M!100616 SET NOTE_VERBOSITY=0 */;\nCREATE TABLE `a` (b INT);')).toEqual([
    'mariadb',
  ]);
});

it('reads on behind a quote with a backslash', () => {
  const text =
    "INSERT INTO `a` VALUES ('don\\'t');\n-- @dialect mysql, mariadb\n-- @inbox\nCREATE TABLE `b` (c INT);";
  expect(recognised(text)).toEqual(['mysql', 'mariadb']);
});
