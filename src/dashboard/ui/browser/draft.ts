const draftKey = (name: string) => `penstock.draft.${name}`;

/** The fields that were changed, and what the form was filled from then. */
export type Draft<In, Base> = { typed: Partial<In>; base?: Base };

/** What was typed into the form of this name; null where nothing was kept. */
export const readDraft = <In, Base>(name: string | undefined): Draft<In, Base> | null => {
  if (name === undefined) return null;
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(draftKey(name)) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'typed' in kept ? (kept as Draft<In, Base>) : null;
  } catch {
    return null;
  }
};

/** Keeps what is typed through a reload, a navigation or an ended session, in this tab. */
export const saveDraft = <In, Base>(name: string, draft: Draft<In, Base>) => {
  if (Object.keys(draft.typed).length === 0) {
    deleteDraft(name);
    return;
  }
  try {
    sessionStorage.setItem(draftKey(name), JSON.stringify(draft));
  } catch {
    // Storage is blocked or full: the form itself still holds what was typed.
  }
};

/** Forgets what was typed: it was saved, or thrown away on purpose. */
export const deleteDraft = (name: string) => {
  try {
    sessionStorage.removeItem(draftKey(name));
  } catch {
    // Storage is blocked: there was no draft either.
  }
};

/** Forgets all that was typed in this tab: whoever signs in next must not find it. */
export const deleteAllDrafts = () => {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(draftKey(''))) sessionStorage.removeItem(key);
    }
  } catch {
    // Storage is blocked: there was no draft either.
  }
};
