const draftKey = (name: string) => `penstock.draft.${name}`;

/** What was typed into the form of this name; null where nothing was kept. */
export const readDraft = <In>(name: string | undefined): Partial<In> | null => {
  if (name === undefined) return null;
  try {
    return JSON.parse(sessionStorage.getItem(draftKey(name)) ?? 'null') as Partial<In> | null;
  } catch {
    return null;
  }
};

/** Keeps what is typed through a reload, a navigation or an ended session, in this tab. */
export const keepDraft = (name: string, typed: unknown) => {
  try {
    sessionStorage.setItem(draftKey(name), JSON.stringify(typed));
  } catch {
    // Storage is blocked or full: the form itself still holds what was typed.
  }
};

/** Forgets what was typed: it was saved, or thrown away on purpose. */
export const dropDraft = (name: string) => {
  try {
    sessionStorage.removeItem(draftKey(name));
  } catch {
    // Storage is blocked: there was no draft either.
  }
};

/** Forgets all that was typed in this tab: whoever signs in next must not find it. */
export const dropAllDrafts = () => {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(draftKey(''))) sessionStorage.removeItem(key);
    }
  } catch {
    // Storage is blocked: there was no draft either.
  }
};
