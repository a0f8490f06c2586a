import { useState, type ReactNode } from 'react';

type Props = { isHeld: boolean; children: ReactNode };

/** Shows its content as it was when it began to be held, so that nothing changes under an open list. */
export const HeldContent = ({ isHeld, children }: Props) => {
  const [shown, setShown] = useState(children);
  if (!isHeld && shown !== children) setShown(children);
  return isHeld ? shown : children;
};
