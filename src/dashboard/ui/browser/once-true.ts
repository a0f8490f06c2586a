import { useState } from 'react';

/** True from the first time that `value` is: what is loaded with its first use stays for its way out. */
export const useOnceTrue = (value: boolean): boolean => {
  const [was, setWas] = useState(value);
  if (value && !was) setWas(true);
  return was || value;
};
