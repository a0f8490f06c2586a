const draftKey = (name: string) => `penstock.draft.${name}`;

/** The changed fields, and what the form was filled from. */
export type Draft<In, Base> = { typed: Partial<In>; base?: Base };

/** The draft with a name; null if there is none. */
export const readDraft = <In, Base>(name: string | undefined): Draft<In, Base> | null => {
  if (name === undefined) return null;
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(draftKey(name)) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'typed' in kept ? (kept as Draft<In, Base>) : null;
  } catch {
    return null;
  }
};

/** Stores a draft in this tab, through a reload, a navigation or an ended session. */
export const saveDraft = <In, Base>(name: string, draft: Draft<In, Base>) => {
  if (Object.keys(draft.typed).length === 0) {
    deleteDraft(name);
    return;
  }
  try {
    sessionStorage.setItem(draftKey(name), JSON.stringify(draft));
  } catch {
    // Storage is blocked or full: the form itself still has the values.
  }
};

/** Deletes a draft that was saved or discarded. */
export const deleteDraft = (name: string) => {
  try {
    sessionStorage.removeItem(draftKey(name));
  } catch {
    // Storage is blocked: there was no draft either.
  }
};

/** Deletes all drafts of this tab: the next session must not see them. */
export const deleteAllDrafts = () => {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(draftKey(''))) sessionStorage.removeItem(key);
    }
  } catch {
    // Storage is blocked: there was no draft either.
  }
};
