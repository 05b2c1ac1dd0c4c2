import { mysqlBench } from './databases/mysql.js';
import { describeFamily } from './suite/mysql-family/family.js';

describeFamily(mysqlBench);
