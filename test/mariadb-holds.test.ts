import { mariadbBench } from './databases/mariadb.js';
import { describeAdvisory, describeRowLock, describeServerAdvisory } from './suite/holds.js';
import { describeRowLockChildren } from './suite/mysql-family/row-lock-children.js';

describeRowLock(mariadbBench);
describeAdvisory(mariadbBench);
describeServerAdvisory(mariadbBench);
describeRowLockChildren(mariadbBench);
