import { foldCase } from './fold-case.ts';

/**
 * A text whose byte order is the natural order of names, ignoring case: “Pump 9” before “Pump 102”. Each number is
 * preceded by the count of its digits. Names have at most 100 characters, so two digits hold the count.
 */
export const naturalKey = (name: string): string =>
  foldCase(name).replaceAll(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, '');
    return String(Math.min(number.length, 99)).padStart(2, '0') + number;
  });
