type Change = { readonly enabled?: boolean | undefined };

/** The data of an update: its fields, and whether it resumed or paused the subject. A pause of a paused subject changes nothing. */
export const updatedData = (change: Change, { isPaused }: { isPaused: boolean }) => {
  const { enabled } = change;
  const isToggled = enabled === isPaused;
  return {
    fields: Object.keys(change).filter((field) => field !== 'enabled' || isToggled),
    ...(isToggled && { enabled }),
  };
};
