/**
 * A ref that marks the document with `data-has-NAME` while an element with this ref is in the page. `:has()` in a style
 * would make the browser restyle more of the page with each change: half of the style time of a list that scrolls.
 */
const markDocument = (name: string) => {
  const elements = new Set<Element>();
  const update = () => document.documentElement.toggleAttribute(`data-has-${name}`, elements.size > 0);
  return (element: Element | null) => {
    if (element === null) return undefined;
    elements.add(element);
    update();
    return () => {
      elements.delete(element);
      update();
    };
  };
};

export const scrimRef = markDocument('scrim');
export const dialogRef = markDocument('dialog');
export const drawerRef = markDocument('drawer');
/** For a bar that stays at the bottom of the window. */
export const bottomBarRef = markDocument('bottom-bar');
/** For the request to name the session, at the bottom of the window. */
export const namePromptRef = markDocument('name-prompt');
