import type { Dialect } from '../dialect.js';
import { secondOpinionWith } from '../mysql-family/second-opinion.js';
import { typeNames } from './type-names.js';

/** What node-sql-parser makes of the same statement. */
export const secondOpinion: Dialect['secondOpinion'] = secondOpinionWith(typeNames);
