import { mariadbBench } from './databases/mariadb.js';
import { describeFamily } from './suite/mysql-family/family.js';

describeFamily(mariadbBench);
