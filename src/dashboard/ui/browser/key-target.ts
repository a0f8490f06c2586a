/** Whether the focus is in a field that takes text. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])'));

/** Whether a dialog or a menu is open. */
export const isOverlayOpen = (): boolean =>
  document.querySelector('[role=dialog][data-open], [role=menu]') !== null;
