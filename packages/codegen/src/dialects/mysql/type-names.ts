import { sharedTypes, type TypeNames } from '../mysql-family/type-names.js';

/** MySQL has no type with a neutral kind that MariaDB lacks. */
export const typeNames: TypeNames = sharedTypes;
