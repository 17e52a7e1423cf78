import { types } from 'node:util';
import { method } from './platform-reader.ts';

/** A date of the class itself: one of a class derived from it is something else. */
export const isDate = (value: object): value is Date =>
  Object.getPrototypeOf(value) === Date.prototype && types.isDate(value);

export const timeOf = method<number>(Date.prototype, 'getTime');
