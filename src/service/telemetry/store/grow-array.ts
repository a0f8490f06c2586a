/** A longer copy of an array: twice as long, unless `length` says otherwise. Zeros follow the content. */
export const growArray = <A extends Uint8Array | Uint32Array | Float64Array>(
  array: A,
  length = array.length * 2,
): A => {
  const longer = new (array.constructor as new (length: number) => A)(length);
  longer.set(array);
  return longer;
};
