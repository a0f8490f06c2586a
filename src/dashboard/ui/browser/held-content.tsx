import { useState, type ReactNode } from 'react';

type Props = { isHeld: boolean; children: ReactNode };

/** Freezes its content while it is held, so that nothing moves under an open list. */
export const HeldContent = ({ isHeld, children }: Props) => {
  const [shown, setShown] = useState(children);
  if (!isHeld && shown !== children) setShown(children);
  return isHeld ? shown : children;
};
