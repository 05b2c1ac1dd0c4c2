import { postgresBench } from './databases/postgres.js';
import { describeAdvisory, describeRowLock, describeServerAdvisory } from './suite/holds.js';
import { describePostgresOwnLocks } from './suite/postgres/own-locks.js';
import { describeRowLockChildren } from './suite/postgres/row-lock-children.js';

describeRowLock(postgresBench);
describeAdvisory(postgresBench);
describeServerAdvisory(postgresBench);
describePostgresOwnLocks();
describeRowLockChildren();
