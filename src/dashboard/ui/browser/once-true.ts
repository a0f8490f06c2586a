import { useState } from 'react';

/** True once `value` has been true: lazily loaded parts stay mounted while they close. */
export const useOnceTrue = (value: boolean): boolean => {
  const [was, setWas] = useState(value);
  if (value && !was) setWas(true);
  return was || value;
};
