import { mysqlBench } from './databases/mysql.js';
import { describeAdvisory, describeRowLock, describeServerAdvisory } from './suite/holds.js';
import { describeRowLockChildren } from './suite/mysql-family/row-lock-children.js';

describeRowLock(mysqlBench);
describeAdvisory(mysqlBench);
describeServerAdvisory(mysqlBench);
describeRowLockChildren(mysqlBench);
