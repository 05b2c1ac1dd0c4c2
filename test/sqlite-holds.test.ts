import { sqliteBench } from './databases/sqlite.js';
import { describeAdvisory } from './suite/holds.js';
import { describeSqliteHolds } from './suite/sqlite/holds.js';

describeAdvisory(sqliteBench);
describeSqliteHolds();
