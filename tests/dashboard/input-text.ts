/** Changes the text of a field by an event alone, before React renders anything else. */
export const inputText = (field: HTMLInputElement, text: string): void => {
  // React does not call `onChange` for text that was set through the element's own property.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
};
