/** Invisible characters, also the empty Braille pattern, could make a unit pass for another. */
const UNIT = /^[[\p{L}\p{N}\p{Sc}\p{So}%°\/^*.\-]--[\p{Default_Ignorable_Code_Point}\u2800]]{1,32}$/v;

/** True for text that can be shown, and stored by every database, as the unit of a metric. */
export const isDisplayUnit = (unit: unknown): unit is string => typeof unit === 'string' && UNIT.test(unit);
